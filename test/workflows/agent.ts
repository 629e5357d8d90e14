/** The deploy agent of the staged machine, as far as the control plane can tell: lookup, heartbeats, ended commands. */
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

export const createAgent = (stage: Stage): Agent => {
  let token = '';
  let boot = { number: -1, knows: false, called: false };
  const heartbeat = async () => {
    const beat = { callback_url: 'https://10.0.0.9:9999', agent_version: '9.0', agent_token: token };
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
        token = (JSON.parse(body!) as { config: { agent_token: string } }).config.agent_token;
        boot.knows = true;
      }
      if (!boot.called) boot.called = (await heartbeat()) === 202;
      return boot.called;
    },
    finish: async (status = 'SUCCEEDED', more = {}) => {
      stage.proxy.finish(uuid, status, more);
      return heartbeat();
    },
  };
};
