/**
 * Machines that were moved here with an instance on them (DESIGN.md 12). Whoever had them before may still
 * reach their BMCs, so nothing is done to one before a takeover, which only reads, has shown that it can be done from
 * here: the note `takeover` of the node is the fence.
 */
import { Fault } from '../fault.ts';
import { isForeign } from '../foreign-types.ts';
import type { Node } from '../node.ts';
import { keep, note, type Noted, type Notes, takeoverStates } from '../notes.ts';
import { stateOf } from './states.ts';

type Takeover = NonNullable<Notes['takeover']>;

/** Whether an instance is on the machine of this node, or half on it. */
export const hasInstance = (node: Pick<Node, 'instance_uuid' | 'provision_state'>): boolean =>
  node.instance_uuid !== null || stateOf(node).occupied === true || stateOf(node).guest === true;

/** The node's notes with how far its takeover is, since a time (ISO 8601); `reason`: why it failed. */
export const noteTakeover = (node: Noted, state: Takeover['state'], since: string, reason?: string): Noted =>
  keep(node, { takeover: { state, since, ...(reason !== undefined && { reason }) } });

/** Whether nothing may be done to the machine yet. */
const isFenced = (node: Noted): boolean => (note(node, 'takeover')?.state ?? 'completed') !== 'completed';

/** How far takeovers are told to be. `unconverted`: none can begin, because of the node's driver. */
export const takeoverProgress = [...takeoverStates, 'unconverted'] as const;

/** How far that of a node is; undefined: it needs none. */
export const progressOf = (node: Noted & Pick<Node, 'driver'>): (typeof takeoverProgress)[number] | undefined => {
  const state = note(node, 'takeover')?.state;
  return isFenced(node) && isForeign(node) ? 'unconverted' : state;
};

const outcome = ({ state, reason }: Takeover): string => {
  if (state === 'failed') return `the last one failed: ${reason ?? 'nobody knows why.'}`;
  return state === 'running' ? 'it is being looked at now.' : 'nobody has begun with it.';
};

/** Throws TakeoverPending (409) with how the takeover stands while nothing may be done to the machine. */
export const refuseFenced = (node: Noted & Pick<Node, 'uuid'>): void => {
  if (!isFenced(node)) return;
  throw new Fault(
    'TakeoverPending',
    409,
    `Node ${node.uuid} was moved here with an instance and is takeover_pending: nothing is done to its machine until its takeover has succeeded (POST /v1/takeovers), and ${outcome(note(node, 'takeover')!)}`,
  );
};
