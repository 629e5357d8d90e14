/**
 * One execution as data: what the journal keeps and what `machine.ts` changes. A run is a tree of branches; each
 * stands in one state. Everything here is plain JSON, times are milliseconds since the epoch.
 */
import type { WorkflowStatus } from '../../layers/platform/workflows.ts';
import type { Chance, Json } from './expression.ts';
import type { Exit, Machine, Scope, State } from './language.ts';

export type Call = { readonly function: string; readonly payload: Json };
export type Failure = { readonly error: string; readonly cause: string };

/** A call under way or, `submitted`, made and waiting for its token. `attempt` is unique in the run. */
export type TaskDoing = {
  readonly is: 'task';
  readonly attempt: number;
  readonly call: Call;
  readonly token?: string;
  readonly submitted: boolean;
  readonly timeout_at?: number;
  readonly heartbeat_ms?: number;
  readonly heartbeat_at?: number;
};

/** `results` fills as branches end; `items` are the inputs of a Map state, of which `begun` have been started. */
export type ChildrenDoing = {
  readonly is: 'children';
  readonly results: (Json | undefined)[];
  readonly items?: readonly Json[];
  readonly inputs: readonly Json[];
  /** How many may be under way at a time. */
  readonly limit: number;
  begun: number;
  ended: number;
};

/** `ofState`: the state itself failed, as by an expression or by what it gives, and not what it called or began. */
export type FailedDoing = { readonly is: 'failed'; readonly ofState?: boolean | undefined } & Failure;

/**
 * What a branch is doing. The first four are where a run rests, and so what the journal can hold; the others last
 * only as long as `machine.ts` works on the run.
 */
export type Doing =
  | TaskDoing
  | ChildrenDoing
  | { readonly is: 'wait'; readonly until: number }
  | { readonly is: 'backoff'; readonly until: number }
  | { readonly is: 'ready' }
  | { readonly is: 'done'; readonly exit: Exit; readonly result?: Json }
  | FailedDoing;

export type Branch = {
  readonly id: number;
  /** The branch whose Parallel or Map state began this one; its `index` there, and the item of a Map state. */
  readonly parent?: number;
  readonly index: number;
  readonly item?: { readonly Index: number; readonly Value: Json };
  variables: { readonly [name: string]: Json };
  state: string;
  entered_at: number;
  input: Json;
  /** Retries given so far in this state by each of its retriers. */
  retries: number[];
  doing: Doing;
};

export type Run = {
  readonly workflow: string;
  readonly name: string;
  readonly input: Json;
  readonly started_at: number;
  readonly deadline_at?: number;
  status: WorkflowStatus;
  stopped_at?: number;
  output?: Json;
  error?: string;
  cause?: string;
  branches: Branch[];
  last_branch: number;
  last_attempt: number;
  last_event: number;
};

/** One line of the history; `type` is Step Functions' word. `error` and `cause` belong to failures. */
export type RunEvent = {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly state?: string;
  readonly error?: string;
  readonly cause?: string;
};

/** A retry has no event of its own in Step Functions, but whoever looks on wants to know. */
export type Retried = {
  readonly state: string;
  readonly error: string;
  readonly cause: string;
  readonly seconds: number;
};

/** One piece of work on a run: what is given, and what comes of it besides the changed run. */
export type Step = {
  readonly run: Run;
  readonly machine: Machine;
  readonly now: number;
  readonly chance: Chance;
  /** New lines of the history, to be journaled with the run. */
  readonly events: RunEvent[];
  readonly retried: Retried[];
};

/** Step Functions' quotas. Bytes are of UTF-8 JSON. */
export const quotas = { payload: 262_144, variables: 10_485_760, events: 25_000, concurrency: 40 } as const;

/** The branch whose Parallel or Map state began this one; undefined for the root. */
export const parentOf = (run: Run, branch: Branch): Branch | undefined =>
  run.branches.find(({ id }) => id === branch.parent);

/** The states among which a branch moves. */
export const scopeOf = (machine: Machine, run: Run, branch: Branch): Scope => {
  const parent = parentOf(run, branch);
  if (!parent) return machine;
  const state = stateOf(machine, run, parent);
  if (state.Type === 'Map') return state.ItemProcessor;
  if (state.Type === 'Parallel') return state.Branches[branch.index]!;
  throw new Error(`${state.Type} state ${parent.state} has no branches`);
};

/** The state that a branch stands in. */
export const stateOf = (machine: Machine, run: Run, branch: Branch): State =>
  scopeOf(machine, run, branch).States[branch.state]!;

/** The variables that a branch can read: its own and those of the branches around it. */
export const variablesOf = (run: Run, branch: Branch): { readonly [name: string]: Json } => {
  const parent = parentOf(run, branch);
  return parent ? { ...variablesOf(run, parent), ...branch.variables } : branch.variables;
};

/** When something happens to the branch by itself, if it does. */
export const dueOf = ({ doing }: Branch): number => {
  if (doing.is === 'wait' || doing.is === 'backoff') return doing.until;
  return doing.is === 'task' ? Math.min(doing.timeout_at ?? Infinity, doing.heartbeat_at ?? Infinity) : Infinity;
};

/** When something happens to the run by itself; Infinity if nothing will. */
export const nextDue = (run: Run): number =>
  run.branches.reduce((due, branch) => Math.min(due, dueOf(branch)), run.deadline_at ?? Infinity);

/** Appends a line to the history. The last line that fits is kept for the end of the execution. */
export const addEvent = (step: Step, type: string, state?: string, failure?: Failure): void => {
  const ending = /^Execution(?!Started)/.test(type);
  if (step.run.last_event >= quotas.events - (ending ? 0 : 1)) return;
  step.run.last_event += 1;
  step.events.push({ id: step.run.last_event, at: step.now, type, ...(state !== undefined && { state }), ...failure });
};
