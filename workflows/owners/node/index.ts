/** Nodes as owners of runs. */
import { Fault } from '../../../layers/domain/fault.ts';
import type { Table } from '../../../layers/platform/table.ts';
import type { Answers } from '../../run/phase.ts';
import type { Keeper, Owner, RecordedRun, Work } from '../../run/owner.ts';
import { nodeCall, type Job, type NodeCall } from './call.ts';
import { abandon, fail } from './fail.ts';
import { hold } from './hold.ts';
import type { Outcome, Phase, PhaseContext, World } from './phase.ts';
import { rests } from './rest.ts';
import { judge, tell } from './tell.ts';
import type { Asked, NodeWorkflow, NodeWorkflows } from './workflow.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { uuidsIn } from '../../../layers/store/records/list.ts';

/** UUIDs of the nodes that a run owns or locks. */
const busy: Keeper['busy'] = async ({ table }) => uuidsIn(table, kinds.node, [{ index: 'busy', value: '' }]);

const recorded = (node: StoredNode, workflow: string, run: string, asked: Asked): RecordedRun => ({
  ...asked,
  uuid: node.uuid,
  workflow,
  run,
  phase: node.phase?.run === run ? node.phase.name : 'its start',
  changed_at: Date.parse(node.updated_at ?? node.created_at),
});

/** The run that owns the provisioning. */
const ownRun = (workflows: NodeWorkflows, node: StoredNode): RecordedRun[] => {
  const { uuid, run, run_workflow: workflow } = node;
  if (run === null) return [];
  if (workflow === null || !Object.hasOwn(workflows, workflow)) {
    throw new Fault('WorkflowUnknown', 500, `The run ${run} is of no workflow that this version has.`);
  }
  return [recorded(node, workflow, run, { input: { node: uuid } })];
};

/**
 * The run that holds the lock while no other does, or while the other waits: what it was asked for says which workflow
 * it is of. A lock without such a record can only be freed, which any of them does.
 */
const lockRun = async (workflows: NodeWorkflows, table: Table, node: StoredNode): Promise<RecordedRun[]> => {
  const { uuid, reservation: run } = node;
  if (run === null || run === node.run) return [];
  const lockers = Object.keys(workflows).filter((name) => workflows[name]!.takes === 'lock');
  for (const workflow of lockers) {
    const row = workflows[workflow]!;
    const asked = row.takes === 'lock' ? await row.asked(table, uuid, run) : undefined;
    if (asked) return [recorded(node, workflow, run, asked)];
  }
  return [recorded(node, lockers[0]!, run, { input: undefined })];
};

/** Nodes as owners of the runs of these workflows. */
export const createNodeOwner = (
  workflows: NodeWorkflows,
): Owner<World, NodeCall, Phase<Answers>, PhaseContext, Outcome<Answers>> => {
  const rowOf = (name: string): NodeWorkflow => workflows[name]!;
  const jobOf = (work: Work<NodeCall, Phase<Answers>>): Job => ({ ...work, row: rowOf(work.call.workflow) });
  return {
    kind: 'node',
    call: nodeCall,
    phases: (workflow) => workflows[workflow]?.phases().then(({ phases }) => phases),
    busy,
    read: async ({ table }, uuid) => {
      const node = await readRecord(table, kinds.node, uuid);
      return node ? [...ownRun(workflows, node), ...(await lockRun(workflows, table, node))] : [];
    },
    rests: async (world, work) => rests(world, jobOf(work)),
    hold: async (world, work) => hold(world, jobOf(work)),
    tell: async (world, work, outcome) => tell(world, jobOf(work), outcome),
    judge: async (world, work, context, error) => judge(world, jobOf(work), context, error),
    fail: async (platform, { uuid, workflow, run }, failure) =>
      fail(platform, { uuid, run, row: rowOf(workflow), failure }),
    abandon: async (world, { uuid, workflow, run }, failure, invocation) =>
      abandon(world, { uuid, run, row: rowOf(workflow), failure }, invocation),
  };
};
