/** One run that hands its node, still locked, over to another (undeploy to clean). */
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Job } from './call.ts';
import type { World } from './phase.ts';

/** Starts the run that the node was handed over to, if it was. May be repeated. */
export const startSuccessor = async (
  { workflows }: Pick<World, 'workflows'>,
  { row, call }: Job,
  { uuid, run, run_workflow: workflow }: StoredNode,
): Promise<void> => {
  if (run === null || run === call.run || workflow !== row.successor) return;
  await workflows.start(row.successor, run, { node: uuid });
};
