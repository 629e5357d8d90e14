/**
 * Two must never drive one machine: the node at its source goes into maintenance before it is written here. What it was in
 * before is noted in the reason, which is the only thing that is there whenever the tool is ended.
 */
import * as z from 'zod';

import { faultstringOf, parseJson } from '../service.ts';
import type { Ironic, Values } from './api.ts';

const before = z.object({
  maintenance: z.boolean(),
  maintenance_reason: z.string().nullable(),
  updated_at: z.string().nullable(),
});

/** The first is ours: a reason from before may have such words in it. */
const mark = /^Moved to Ingot.*? Before: (\{.*\})$/s;

const noteIn = (node: Values): z.output<typeof before> | undefined => {
  const { maintenance, maintenance_reason: reason } = node;
  const [, text] = (maintenance === true && typeof reason === 'string' && mark.exec(reason)) || [];
  return text === undefined ? undefined : before.safeParse(parseJson(text)).data;
};

/** Whether this tool has fenced it. */
export const isFenced = (node: Values): boolean => noteIn(node) !== undefined;

/** The node as it was before this tool fenced it. */
export const originalOf = (node: Values): Values => ({ ...node, ...noteIn(node) });

const reasonOf = ({ maintenance, maintenance_reason = null, updated_at = null }: Values, here: string): string => {
  const note = JSON.stringify({ maintenance: maintenance === true, maintenance_reason, updated_at });
  return `Moved to Ingot at ${here}, which drives this machine now: do not end this maintenance here. Before: ${note}`;
};

/**
 * A power action holds a lock for seconds. A conductor that takes over the instances of another (eight at a time, every three
 * minutes) holds each for more than half a minute where it has much else to do: Ironic 39.0 did.
 */
const tries = 24;
const pause = 5000;

/** `sleep` takes milliseconds. */
export type Fencing = { readonly ironic: Ironic; sleep(ms: number): Promise<unknown> };

/** Changes the maintenance. Answers why it could not be, if so. */
const change = async (
  { ironic, sleep }: Fencing,
  { uuid }: Values,
  ...asked: ['PUT', object] | ['DELETE']
): Promise<string | undefined> => {
  const [method, body] = asked;
  for (let attempt = 1; ; attempt += 1) {
    const reply = await ironic.ask(method, `/v1/nodes/${uuid as string}/maintenance`, body);
    if (reply.status < 300) return undefined;
    if (reply.status !== 409 || attempt >= tries) {
      return `maintenance was answered with ${reply.status}: ${faultstringOf(reply.body)}`;
    }
    await sleep(pause);
  }
};

/** Fences it, unless it is, for an Ingot whose URL `here` is. Answers why it could not be, if so. Throws what asking throws. */
export const fence = async (fencing: Fencing, node: Values, here: string): Promise<string | undefined> =>
  isFenced(node) ? undefined : change(fencing, node, 'PUT', { reason: reasonOf(node, here) });

/** Puts it back to what it was in before: `node` is as it was then. Answers as `fence`. */
export const unfence = async (fencing: Fencing, node: Values): Promise<string | undefined> => {
  const { maintenance, maintenance_reason: reason = null } = node;
  return maintenance === true ? change(fencing, node, 'PUT', { reason }) : change(fencing, node, 'DELETE');
};
