/** Starting and stopping the runs that a request has recorded on its server. */
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { startRun, stopRun } from '../../../workflows/run/start.ts';
import type { Deps } from '../route.ts';

type Running = Pick<StoredServer, 'uuid' | 'run' | 'run_workflow'>;

/** Starts the run that a server has, if it has one. */
export const startServerRun = async (deps: Deps, { uuid, run, run_workflow: workflow }: Running): Promise<void> => {
  if (run !== null && workflow !== null) await startRun(deps, workflow, run, { server: uuid });
};

/** After a write: the run that lost the server is stopped, the one that has it now is started. */
export const putToWork = async (
  deps: Deps,
  { before, after }: { readonly before: Running; readonly after: Running },
  why: string,
): Promise<void> => {
  if (before.run !== after.run) await stopRun(deps, before.run_workflow, before.run, why);
  await startServerRun(deps, after);
};
