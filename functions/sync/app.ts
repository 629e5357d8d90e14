/**
 * Looks after the runs of nodes and allocations, so that none is ever stuck. The schedule also writes guest documents that
 * could not be written, and sweeps objects that no node refers to; after an update it first brings the table into its new
 * form.
 */
import type { Platform } from '../../layers/platform/platform.ts';
import { allocationWorkflows, nodeWorkflows } from '../../workflows/index.ts';
import { createAllocationOwner } from '../../workflows/owners/allocation/index.ts';
import { createNodeOwner } from '../../workflows/owners/node/index.ts';
import type { Keeper } from '../../workflows/run/owner.ts';
import { type Report, syncRuns } from '../../workflows/run/sync.ts';
import { settleGuests } from './guests.ts';
import { sweepObjects } from './sweep.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const keepers: readonly Keeper[] = [createNodeOwner(nodeWorkflows), createAllocationOwner(allocationWorkflows)];

/** What is stored can wait; nodes cannot. */
const tidy = async (deps: Deps): Promise<void> => {
  await settleGuests(deps).catch((error: unknown) => {
    deps.log.error('Guest documents could not be written; the next round tries again.', { error });
  });
  await sweepObjects(deps).catch((error: unknown) => {
    deps.log.error('Objects could not be swept; the next round tries again.', { error });
  });
};

/** An event of an execution: what that works on; any other event: all that something works on. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async (event: unknown): Promise<Report> => {
    const { report, whole } = await syncRuns(deps, keepers, event);
    if (whole) await tidy(deps);
    return report;
  };
