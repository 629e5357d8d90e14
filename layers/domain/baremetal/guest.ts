/** When a node has a guest document, and when that has to be written: pure decisions. */
import type { Node, NodeKeeping } from '../node.ts';
import { keep, note, type Noted } from '../notes.ts';
import { stateOf } from './states.ts';

type Guest = Readonly<Pick<Node, 'provision_state' | 'instance_uuid' | 'instance_name' | 'instance_info'>>;

/** Whether somebody has the machine, or is to get it. */
export const hasGuest = (node: Pick<Guest, 'provision_state'>): boolean => stateOf(node).guest === true;

/** What the document is made of besides the ports. */
const told = ['instance_uuid', 'instance_name', 'instance_info'] as const;

/** Whether a change makes another document of it, or none. A value that was not set is the same object as before. */
export const guestChanged = (before: Guest, after: Guest): boolean =>
  hasGuest(before) !== hasGuest(after) || (hasGuest(after) && told.some((name) => before[name] !== after[name]));

type Counted = Noted & Pick<NodeKeeping, 'revision'>;

/** The change, to be written at `at` (ISO 8601), that makes the document of this node stale; it counts one revision. */
export const makeStale = (node: Counted, at: string): Noted =>
  keep(node, { guest_metadata_stale: { since: at, revision: node.revision + 1 } });

/** Which change made the document stale; undefined: it is not. */
export const staleBy = (node: Noted): number | undefined => note(node, 'guest_metadata_stale')?.revision;
