/**
 * The deploy agent of the staged machine, as far as the control plane can tell: it reads its medium, looks itself up,
 * heartbeats, ends commands.
 */
import { readAgentMedium } from '../fakes/agent-medium.ts';
import { uuid } from './nodes.ts';
import type { Stage } from './stage.ts';

export type Agent = {
  /**
   * What it does after each boot: asks which node it runs on, and heartbeats for the first time. Repeats only what
   * nobody answered. False as long as the control plane is not there.
   */
  call(): Promise<boolean>;
  /** The status of one more heartbeat; 0 if nobody answered. */
  heartbeat(): Promise<number>;
  /** Ends the command that is running and heartbeats at once, as agents do. */
  finish(status?: 'SUCCEEDED' | 'FAILED', more?: object): Promise<number>;
};

/** What stands on the stick in the machine's second drive; nothing if there is none. */
export const wordsOnMedium = async ({ machine, world }: Stage): Promise<Record<string, string>> => {
  const { status, body } = await world.objects.request('GET', machine.media.usb ?? '');
  return status === 200 ? readAgentMedium(body!).words : {};
};

/** What a ramdisk that inspects sends, to where its medium says; the status, 0 if nobody answered. */
export const sendInventory = async (
  stage: Stage,
  body: object,
): Promise<{ status: number; body: string | undefined }> => {
  const { 'ipa-inspection-callback-url': url = 'http://metal.test/v1/continue_inspection' } =
    await wordsOnMedium(stage);
  const { pathname, search } = new URL(url);
  return stage.http(`POST ${pathname}${search}`, body, null);
};

/** `more`: what its heartbeats say besides. */
export const createAgent = (stage: Stage, more: object = {}): Agent => {
  let token = '';
  let boot = { number: -1, knows: false, called: false };
  const heartbeat = async () => {
    const beat = { callback_url: 'https://10.0.0.9:9999', agent_version: '9.0', agent_token: token, ...more };
    return (await stage.http(`POST /v1/heartbeat/${uuid}`, beat)).status;
  };
  return {
    heartbeat,
    call: async () => {
      const number = stage.machine.switched;
      if (boot.number !== number) boot = { number, knows: false, called: false };
      if (!boot.knows) {
        const { status, body } = await stage.http(`GET /v1/lookup?node_uuid=${uuid}`);
        if (status !== 200) return false;
        const given = (JSON.parse(body!) as { config: { agent_token: string } }).config.agent_token;
        token = given === '******' ? ((await wordsOnMedium(stage))['ipa-agent-token'] ?? '') : given;
        boot.knows = true;
      }
      if (!boot.called) boot.called = (await heartbeat()) === 202;
      return boot.called;
    },
    finish: async (status = 'SUCCEEDED', result = {}) => {
      stage.proxy.finish(uuid, status, result);
      return heartbeat();
    },
  };
};
