/** The API as clients use it that pin a microversion: they repeat what is answered 409, and wait for states. */
import { expect } from 'vitest';

import { type Reply, sleep, until } from './system.ts';

type Body = Record<string, unknown>;
export type Patch = { readonly op: 'add' | 'replace' | 'remove'; readonly path: string; readonly value?: unknown }[];

export type Client = {
  /** One request, whatever the answer. `at`: another microversion, for this request only. */
  ask(method: string, path: string, body?: unknown, at?: string): Promise<Reply>;
  /** A request that has to succeed; repeated while the node is locked. */
  ok(method: string, path: string, body?: unknown, at?: string): Promise<Body>;
  /** Waits until the provision state is one of these; another state that work ends in is a failure at once. */
  reaches(node: string, ...states: string[]): Promise<Body>;
  /** Waits until nobody holds the lock. */
  unlocked(node: string): Promise<Body>;
};

/** Work ends in these states. */
const isEnd = (state: string) => /^(enroll|manageable|available|active|rescue|error)$| failed$/.test(state);

/** A client that sends `version` in both headers, as openstacksdk and gophercloud do; `proof`: who asks. */
export const clientOf = (url: string, version: string, proof: Readonly<Record<string, string>> = {}): Client => {
  const ask: Client['ask'] = async (method, path, body, at = version) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...proof,
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'OpenStack-API-Version': `baremetal ${at}`,
        'X-OpenStack-Ironic-API-Version': at,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await answer.text();
    expect(answer.headers.get('x-openstack-ironic-api-version')).toBe(at);
    expect(answer.headers.get('x-openstack-ironic-api-maximum-version')).toBe('1.115');
    return { status: answer.status, body: text ? (JSON.parse(text) as Body) : {} };
  };

  const ok: Client['ok'] = async (method, path, body, at) => {
    const reply = await until(`${method} ${path} not to be answered 409`, async () => {
      const one = await ask(method, path, body, at);
      return one.status !== 409 && one.status !== 503 && one;
    });
    if (reply.status < 200 || reply.status > 299) {
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply.body;
  };

  const read = async (node: string) => ok('GET', `/v1/nodes/${node}`);

  return {
    ask,
    ok,
    reaches: async (node, ...states) => {
      const { provision_state: begun } = await read(node);
      for (const end = Date.now() + 400_000; Date.now() < end; await sleep(50)) {
        const now = await read(node);
        const state = String(now['provision_state']);
        if (states.includes(state)) return now;
        if (isEnd(state) && state !== begun) throw new Error(`${node} is in ${state}: ${String(now['last_error'])}`);
      }
      throw new Error(`Waited in vain for ${states.join(' or ')}: ${JSON.stringify(await read(node))}`);
    },
    unlocked: async (node) =>
      until(`${node} to be unlocked`, async () => {
        const now = await read(node);
        return now['reservation'] === null && now;
      }),
  };
};
