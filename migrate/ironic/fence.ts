/**
 * Two must never drive one machine: the node at its source goes into maintenance before it is written here. What it was in
 * before is noted in the reason, which is the only thing that is there whenever the tool is ended.
 */
import * as z from 'zod';

import { faultstringOf, parseJson } from '../service.ts';
import type { Ironic, Values } from './api.ts';

const words = 'Moved to Ingot, which drives this machine now: do not end this maintenance here.';

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

const reasonOf = ({ maintenance, maintenance_reason = null, updated_at = null }: Values): string =>
  `${words} Before: ${JSON.stringify({ maintenance: maintenance === true, maintenance_reason, updated_at })}`;

/** A lock is there for as long as a power action takes. */
const tries = 6;
const pause = 5000;

/**
 * Fences it, unless it is. Answers why it could not be, if so. Throws what asking throws. `sleep` takes milliseconds.
 */
export const fence = async (
  ironic: Ironic,
  node: Values,
  sleep: (ms: number) => Promise<unknown>,
): Promise<string | undefined> => {
  if (isFenced(node)) return undefined;
  for (let attempt = 1; ; attempt += 1) {
    const path = `/v1/nodes/${node['uuid'] as string}/maintenance`;
    const { status, body } = await ironic.ask('PUT', path, { reason: reasonOf(node) });
    if (status < 300) return undefined;
    if (status !== 409 || attempt >= tries) return `maintenance was answered with ${status}: ${faultstringOf(body)}`;
    await sleep(pause);
  }
};
