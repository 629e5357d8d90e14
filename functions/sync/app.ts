/**
 * Nothing is ever stuck (DESIGN.md 3.9): looks at every node that a run owns or locks and at every allocation that
 * looks for a node, starts a run that was recorded but never started, and fails one whose execution ended without it.
 * Called at start, by a schedule, and when an execution ends badly. The schedule also sweeps configdrives that no node
 * refers to.
 */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import { allocatingNow, allocationOfRun } from '../../layers/store/allocations.ts';
import { removeConfigdrive } from '../../layers/store/configdrives.ts';
import { busyIndex, busyPartition, shards } from '../../layers/store/indexes.ts';
import { nodePartition, readNode, type StoredNode } from '../../layers/store/nodes.ts';
import {
  readManagementRequest,
  type DirectRequest,
  type ManagementRequest,
} from '../../layers/store/management-requests.ts';
import { powerRequestKey, powerRequestOf } from '../../layers/store/power-requests.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { nodeOfRun } from '../../layers/store/reservation.ts';
import type { Execution } from '../../layers/platform/workflows.ts';
import { failNode, failureOf, type Failure } from '../../workflows/failure.ts';
import { isWorkflow, type WorkflowName } from '../../workflows/names.ts';
import { lookAfterAllocation } from './allocations.ts';
import type { Deed } from './deed.ts';
import { sweepObjects } from './sweep.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

/**
 * What was done: nodes and allocations looked at, runs started, runs failed; `stuck` is how often sync could not help:
 * a node or an allocation that could not be looked after, a run of a workflow that is not known, a lost run that could
 * not be failed for an hour.
 */
export type Report = {
  readonly looked: number;
  readonly started: number;
  readonly failed: number;
  readonly stuck: number;
};

type Run = {
  readonly node: StoredNode;
  readonly workflow: WorkflowName;
  readonly run: string;
  /** Of a run of `management`. */
  readonly request?: ManagementRequest | DirectRequest;
};

/** A run of `management` has its request with the node; what else only locks is a power run. */
const lockHolder = async ({ table }: Deps, node: StoredNode, run: string): Promise<Run> => {
  const request = await readManagementRequest(table, node.uuid, run);
  return request ? { node, workflow: 'management', run, request } : { node, workflow: 'power', run };
};

/** The provisioning run, and whatever holds the lock while the former waits. */
const runsOf = async (deps: Deps, node: StoredNode): Promise<Run[]> => [
  ...(node.run && isWorkflow(node.run_workflow) ? [{ node, workflow: node.run_workflow, run: node.run }] : []),
  ...(node.reservation && node.reservation !== node.run ? [await lockHolder(deps, node, node.reservation)] : []),
];

/** What the API would have started the run with; undefined if that is not known any more. */
const inputOf = async ({ table }: Deps, { node, workflow, run, request }: Run): Promise<object | undefined> => {
  if (workflow === 'power') return powerRequestOf(await table.get(powerRequestKey(node.uuid)), run);
  return { node: node.uuid, ...(request && { action: request.action }) };
};

/** A run that ends well lets go of its node. If the node is here nevertheless, its record is older than that. */
const wellEnded = ({ status, stopped_at: at }: Execution): string | undefined =>
  status === 'SUCCEEDED'
    ? `its work was done at ${at}, and the node's record, which names it still, was restored from before.`
    : undefined;

const failureFor = ({ node, run }: Run, ended: Execution | undefined): Failure => {
  const phase = node.phase?.run === run ? node.phase.name : 'its start';
  if (!ended) return { phase, error: 'NeverStarted', message: `The run ${run} was never started.` };
  const error = ended.error ?? ended.status;
  const { message } = failureOf(phase, error, ended.cause);
  return { phase, error, message: `The execution ${run} ended as ${ended.status}: ${wellEnded(ended) ?? message}` };
};

/** How long somebody else may keep a lost run from being failed, ms. The longest power action takes minutes. */
const patience = 60 * 60 * 1000;

const isOld = ({ clock }: Deps, { updated_at, created_at }: StoredNode): boolean =>
  clock.now() - Date.parse(updated_at ?? created_at) > patience;

const fail = async (deps: Deps, about: Run, failure: Failure): Promise<Deed> => {
  const { node, workflow, run } = about;
  try {
    await failNode(deps, { uuid: node.uuid, workflow, run, failure });
    // Not before it is sure that the run still had the node. What cannot be removed now is swept later.
    if (workflow === 'undeploy') await removeConfigdrive(deps, node);
  } catch (error) {
    // The node went on meanwhile.
    if (isFault(error) && error.name === 'Superseded') return 'none';
    // A power action holds it: the next look decides.
    if (isFault(error) && error.name === 'NodeLocked' && !isOld(deps, node)) return 'none';
    throw error;
  }
  deps.log.warn('A run was failed because its execution is gone.', { node: node.uuid, workflow, run, ...failure });
  return 'failed';
};

/** The client has waited for its answer as long as it could; whoever was to give it is gone. */
const cutOff: Failure = {
  phase: 'the middle of it',
  error: 'CutOff',
  message: 'Whoever worked on it was cut off, so nobody knows whether the machine has done it.',
};

/** A request that a client waits for has no execution: it is over when it is late. */
const mendDirect = async (deps: Deps, about: Run, { until }: DirectRequest): Promise<Deed> =>
  deps.clock.now() < until ? 'none' : fail(deps, about, cutOff);

const mend = async (deps: Deps, about: Run): Promise<Deed> => {
  if (about.request?.action === 'direct') return mendDirect(deps, about, about.request);
  const { workflow, run } = about;
  const execution = await deps.workflows.describe(workflow, run);
  if (execution) return execution.status === 'RUNNING' ? 'none' : fail(deps, about, failureFor(about, execution));
  const input = await inputOf(deps, about);
  if (!input) return fail(deps, about, failureFor(about, undefined));
  if ((await deps.workflows.start(workflow, run, input)) === 'ended') {
    return fail(deps, about, failureFor(about, await deps.workflows.describe(workflow, run)));
  }
  deps.log.info('A run that was recorded is started.', { node: about.node.uuid, workflow, run });
  return 'started';
};

/** One node's trouble must not keep the others waiting. */
const look = async (deps: Deps, uuid: string): Promise<Deed[]> => {
  try {
    const node = await readNode(deps.table, uuid);
    if (node?.run && !isWorkflow(node.run_workflow)) {
      throw new Fault('WorkflowUnknown', 500, `The run ${node.run} is of no workflow that this version has.`);
    }
    const runs = node ? await runsOf(deps, node) : [];
    return await Promise.all(runs.map(async (run) => mend(deps, run)));
  } catch (error) {
    deps.log.error('A node could not be looked after.', { node: uuid, error });
    return ['stuck'];
  }
};

const busyNodes = async ({ table }: Deps): Promise<string[]> => {
  const found = await Promise.all(
    Array.from({ length: shards }, async (_, shard) =>
      table.query({ index: busyIndex, partition: busyPartition(shard) }),
    ),
  );
  return found.flat().map(({ pk }) => pk.slice(nodePartition('').length));
};

type Work = () => Promise<readonly Deed[]>;

const nodeWork =
  (deps: Deps, uuid: string): Work =>
  async () =>
    look(deps, uuid);
const allocationWork =
  (deps: Deps, uuid: string): Work =>
  async () => [await lookAfterAllocation(deps, uuid)];

/** All that something works on. */
const allWork = async (deps: Deps): Promise<Work[]> => {
  const [nodes, searches] = await Promise.all([busyNodes(deps), allocatingNow(deps.table)]);
  return [...nodes.map((uuid) => nodeWork(deps, uuid)), ...searches.map((uuid) => allocationWork(deps, uuid))];
};

/** What an execution of this name works on. */
const workOf = (deps: Deps, run: string): Work => {
  const allocation = allocationOfRun(run);
  return allocation === undefined ? nodeWork(deps, nodeOfRun(run)) : allocationWork(deps, allocation);
};

/** The execution that the event tells of: EventBridge puts its name into `detail`. */
const runOf = (event: unknown): string | undefined => {
  const name = (event as { detail?: { name?: unknown } } | null)?.detail?.name;
  return typeof name === 'string' ? name : undefined;
};

/** What is swept can wait; nodes cannot. */
const sweep = async (deps: Deps): Promise<void> =>
  sweepObjects(deps).catch((error: unknown) => {
    deps.log.error('Objects could not be swept; the next round tries again.', { error });
  });

const atOnce = 16;

/** An event of an execution: what that works on; any other event: all that something works on. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async (event: unknown): Promise<Report> => {
    const run = runOf(event);
    const works = run === undefined ? await allWork(deps) : [workOf(deps, run)];
    const deeds: Deed[] = [];
    for (let at = 0; at < works.length; at += atOnce) {
      const batch = works.slice(at, at + atOnce);
      deeds.push(...(await Promise.all(batch.map(async (work) => work()))).flat());
    }
    const count = (deed: Deed) => deeds.filter((each) => each === deed).length;
    if (run === undefined) await sweep(deps);
    return { looked: works.length, started: count('started'), failed: count('failed'), stuck: count('stuck') };
  };
