/** What can be changed only while a server runs or is off. */
import { Conflict } from '../../../layers/domain/fault.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';

const settled: readonly string[] = ['active', 'stopped'];

/** Throws Conflict (409) in Nova's words in any other state. */
export const requireSettled = ({ uuid, vm_state: state }: StoredServer, what: string): void => {
  if (settled.includes(state)) return;
  throw Conflict(`Cannot '${what}' instance ${uuid} while it is in vm_state ${state}`);
};

/** Throws Conflict (409) if somebody has locked it against this caller. */
export const requireUnlocked = ({ uuid, locked_by: by }: StoredServer, subject: Subject): void => {
  if (by === null || allows('os_compute_api:os-lock-server:unlock:unlock_override', subject)) return;
  throw Conflict(`Instance ${uuid} is locked`);
};
