/**
 * Looks after the runs of servers, so that none is ever stuck. The schedule also tells nodes of addresses that have changed,
 * does the rest of deletions of images, and sweeps data that no image refers to; after an update it first brings the table
 * into its new form.
 */
import type { Platform } from '../../layers/platform/platform.ts';
import { serverWorkflows } from '../../workflows/index.ts';
import { createServerOwner } from '../../workflows/owners/server/index.ts';
import { type Report, syncRuns } from '../../workflows/run/sync.ts';
import { tellOpenChanges } from './addresses.ts';
import { deleteImages, sweepImages } from './images.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const keepers = [createServerOwner(serverWorkflows)];

/** Servers are looked after whatever becomes of it. */
const tidy = async (deps: Deps): Promise<void> => {
  await tellOpenChanges(deps).catch((error: unknown) => {
    deps.log.error('Changes of addresses could not be looked up; the next round tries again.', { error });
  });
  await deleteImages(deps).catch((error: unknown) => {
    deps.log.error('Images could not be deleted to the end; the next round tries again.', { error });
  });
  await sweepImages(deps).catch((error: unknown) => {
    deps.log.error('Data of images could not be swept; the next round tries again.', { error });
  });
};

/** An event of an execution: the server that it works on; any other event: all that something works on. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async (event: unknown): Promise<Report> => {
    const { report, whole } = await syncRuns(deps, keepers, event);
    if (whole) await tidy(deps);
    return report;
  };
