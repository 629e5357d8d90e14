/** One request of a ramdisk to the API. */
import { readText, type Fetched } from '../fetch.ts';
import type { Machine } from '../machine.ts';
import { within, type World } from '../world.ts';

export type Reply = { readonly status: number; readonly body: unknown };

export type Asked = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly signal: AbortSignal;
  readonly body?: object;
  /** N of version 1.N; without it no version is named. */
  readonly version?: number;
};

/** Milliseconds a call to the API may take. */
const callLimit = 30_000;

const readReply = async (answer: Fetched): Promise<Reply> => {
  const { status } = answer;
  const text = await readText(answer);
  return { status, body: status < 300 && text ? (JSON.parse(text) as unknown) : undefined };
};

/** Asks the API; status 0 if there is no answer. Throws when the signal is aborted. */
export const ask = async (world: World, machine: Machine, asked: Asked): Promise<Reply> => {
  const { method, url, signal, body, version } = asked;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (version) headers['x-openstack-ironic-api-version'] = `1.${version}`;
  if (body) headers['content-type'] = 'application/json';
  let reply: Reply = { status: 0, body: undefined };
  try {
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const send = async (limited: AbortSignal) => readReply(await world.fetch(url, { ...sent, signal: limited }));
    reply = await world.call(async () => within(world.clock, callLimit, signal, send));
  } catch {
    // No answer, or one that is not JSON: the agent cannot tell more either, and tries again.
  }
  signal.throwIfAborted();
  const { pathname: path } = new URL(url);
  const at = world.clock.now();
  world.log.add({ at, machine: machine.name, side: 'ramdisk', method, path, status: reply.status });
  return reply;
};
