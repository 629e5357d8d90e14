/** Looks after the runs of servers, so that none is ever stuck, and tells nodes of addresses that have changed. */
import type { Platform } from '../../layers/platform/platform.ts';
import { serverWorkflows } from '../../workflows/index.ts';
import { createServerOwner } from '../../workflows/owners/server/index.ts';
import { type Report, syncRuns } from '../../workflows/run/sync.ts';
import { tellAddresses } from './addresses.ts';

export type Deps = Pick<Platform, 'table' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const keepers = [createServerOwner(serverWorkflows)];

/** An event of an execution: the server that it works on; any other event: all that something works on. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async (event: unknown): Promise<Report> => {
    const { report, whole } = await syncRuns(deps, keepers, event);
    if (whole) await tellAddresses(deps);
    return report;
  };
