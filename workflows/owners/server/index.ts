/** Servers as owners of runs: no lock, for the machine has one of its own; the record names the one run that may act. */
import { Fault } from '../../../layers/domain/fault.ts';
import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { uuidsIn } from '../../../layers/store/records/list.ts';
import type { Keeper, Needed, Owner, Work } from '../../run/owner.ts';
import type { Answers } from '../../run/phase.ts';
import { type Job, serverCall, type ServerCall } from './call.ts';
import { fail, lookFrom } from './fail.ts';
import { hold } from './hold.ts';
import type { ServerContext, ServerOutcome, ServerPhase, World } from './phase.ts';
import { judge, tell } from './tell.ts';
import type { ServerRow, ServerRows } from './workflow.ts';

const kind = computeKinds.server;

/** Servers as owners of the runs of these workflows. */
export const createServerOwner = (
  workflows: ServerRows,
): Owner<World, ServerCall, ServerPhase, ServerContext, ServerOutcome<Answers>, Needed> => {
  const rowOf = (name: string): ServerRow => workflows[name]!;
  const jobOf = (work: Work<ServerCall, ServerPhase>): Job => ({ ...work, row: rowOf(work.call.workflow) });

  const read: Keeper<Needed>['read'] = async ({ table }, uuid) => {
    const server = await readRecord(table, kind, uuid);
    if (!server?.run) return [];
    const { run, run_workflow: workflow, phase, updated_at: changed = server.created_at } = server;
    if (workflow === null || !Object.hasOwn(workflows, workflow)) {
      throw new Fault('WorkflowUnknown', 500, `The run ${run} is of no workflow that this version has.`);
    }
    const at = phase?.run === run ? phase.name : 'its start';
    return [{ uuid, workflow, run, input: { server: uuid }, phase: at, changed_at: Date.parse(changed) }];
  };

  return {
    kind: 'server',
    call: serverCall,
    phases: (workflow) => workflows[workflow]?.phases().then(({ phases }) => phases),
    busy: async ({ table }) => uuidsIn(table, kind, [{ index: 'busy', value: '' }]),
    read,
    hold: async (world, work) => hold(world, jobOf(work)),
    tell: async (world, work, outcome) => tell(world, jobOf(work), outcome),
    judge: async (world, work, context, error) => judge(world, jobOf(work), context, error),
    fail: async (platform, { uuid, workflow, run }, failure) => {
      await fail(platform, { uuid, run, row: rowOf(workflow), failure, look: undefined });
    },
    abandon: async (world, call, failure, invocation) => {
      const { uuid, workflow, run } = call;
      const look = lookFrom(world, call, invocation);
      const { server, details, deletion } = await fail(world, { uuid, run, row: rowOf(workflow), failure, look });
      await deletion.start(world, server);
      return details;
    },
  };
};
