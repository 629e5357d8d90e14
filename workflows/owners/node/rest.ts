/**
 * A call of the agent that changes nothing leaves nothing: a step may take hours, and each heartbeat would otherwise be
 * two transitions, two lines of the history and two events, seen by whoever waits for the state (ironic-deploy.md 3.2).
 */
import { isWaiting } from '../../../layers/domain/baremetal/states.ts';
import { isFault } from '../../../layers/domain/fault.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { equals, isConditionFailed } from '../../../layers/platform/table.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Job } from './call.ts';
import { createHardware } from './hardware.ts';
import { deadline } from './hold.ts';
import type { World } from './phase.ts';
import { waitWrite } from './wait.ts';
import { isMarked } from '../../run/phase.ts';

/** Whether the node waits in this very phase, and nobody works on it. */
const waitsIn = (node: StoredNode, { run, phase }: Job['call']): boolean =>
  isWaiting(node) && node.run === run && node.reservation === null && isMarked(node, { run, phase });

/** The next call ends the wait again; false: somebody changed the node meanwhile, or the agent has called again. */
const waitOn = async ({ table, clock }: World, { call }: Job, { uuid, revision }: StoredNode): Promise<boolean> => {
  const { run, phase, token } = call;
  const wait = waitWrite(uuid, { token: token!, run, phase, since: isoTime(clock.now()) });
  try {
    await table.write([{ check: keyOf(kinds.node, uuid), when: [equals('revision', revision)] }, wait]);
    return true;
  } catch (error) {
    if (isConditionFailed(error)) return false;
    throw error;
  }
};

/**
 * Whether the run waits on, without a word, because the agent is still at it. What goes wrong with asking it, the phase
 * itself meets again and says.
 */
export const rests = async (world: World, job: Job): Promise<boolean> => {
  const { call, phase } = job;
  if (!phase.rests || !call.token) return false;
  const node = await readRecord(world.table, kinds.node, call.uuid);
  if (!node || !waitsIn(node, call)) return false;
  const op_id = `${call.run}/${call.phase}/look`;
  const hardware = createHardware(world, { node, op_id, deadline_ms: deadline(job) });
  const atIt = await phase.rests(node, hardware).catch((error: unknown) => {
    if (isFault(error)) return false;
    throw error;
  });
  return atIt && waitOn(world, job, node);
};
