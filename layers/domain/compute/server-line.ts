/** What a server is, in the words of its history. */
import type { ServerState } from './server-states.ts';

type Told = Pick<ServerState, 'vm_state' | 'task_state'>;

/** `active`, or with what is being done with it: `active (rebooting)`. */
const describe = ({ vm_state: state, task_state: task }: Told): string =>
  task === null ? state : `${state} (${task})`;

/** The change of a state; undefined if it stayed. */
export const stateChange = (before: Told, after: Told): string | undefined => {
  const [was, is] = [describe(before), describe(after)];
  return was === is ? undefined : `${was} -> ${is}`;
};
