/** Allocations that look for a node while nobody does it: started if they never were, failed if that ended badly. */
import { allocationRun, allocations, failAllocation } from '../../layers/store/allocations.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { failureOf } from '../../workflows/owners/node/failure.ts';
import { allocationFailure } from '../../workflows/allocate/phases.ts';
import type { Deed } from './deed.ts';

type Needs = Pick<Platform, 'table' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const workflow = 'allocate';

const mend = async (deps: Needs, uuid: string): Promise<Deed> => {
  const allocation = await allocations.read(deps.table, uuid);
  if (allocation?.state !== 'allocating') return 'none';
  const run = allocationRun(allocation);
  const execution = await deps.workflows.describe(workflow, run);
  if (execution?.status === 'RUNNING') return 'none';
  if (!execution) {
    await deps.workflows.start(workflow, run, { allocation: uuid });
    deps.log.info('The search of an allocation that was recorded is started.', { allocation: uuid, run });
    return 'started';
  }
  const { message } = failureOf('its search', execution.error ?? execution.status, execution.cause);
  const cause = `The execution ${run} ended as ${execution.status}: ${message}`;
  const reason = allocationFailure({ phase: 'its search', error: execution.status, message: cause });
  if (!(await failAllocation(deps, uuid, reason))) return 'none';
  deps.log.warn('An allocation was failed because its execution is gone.', { allocation: uuid, run, reason });
  return 'failed';
};

/** One allocation's trouble must not keep the others waiting. */
export const lookAfterAllocation = async (deps: Needs, uuid: string): Promise<Deed> =>
  mend(deps, uuid).catch((error: unknown) => {
    deps.log.error('An allocation could not be looked after.', { allocation: uuid, error });
    return 'stuck';
  });
