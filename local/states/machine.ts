/**
 * How a run moves: entering and leaving states, branches that begin and join, errors that are retried, caught or end
 * it. No I/O and no clock of its own.
 */
import { isFault } from '../../layers/domain/fault.ts';
import { behaviours, limit, visible } from './behaviour.ts';
import { evaluate, type Json } from './expression.ts';
import type { Exit, Machine, State } from './language.ts';
import { findCatcher, nextRetry } from './retry.ts';
import {
  addEvent,
  parentOf,
  quotas,
  scopeOf,
  stateOf,
  type Branch,
  type ChildrenDoing,
  type FailedDoing,
  type Failure,
  type Run,
  type Step,
} from './run.ts';

/** A run that has not begun. */
export const createRun = (machine: Machine, workflow: string, name: string, input: Json, now: number): Run => ({
  workflow,
  name,
  input,
  started_at: now,
  ...(machine.TimeoutSeconds !== undefined && { deadline_at: now + 1000 * machine.TimeoutSeconds }),
  status: 'RUNNING',
  branches: [],
  last_branch: 0,
  last_attempt: 0,
  last_event: 0,
});

const ends = {
  SUCCEEDED: 'ExecutionSucceeded',
  FAILED: 'ExecutionFailed',
  TIMED_OUT: 'ExecutionTimedOut',
  ABORTED: 'ExecutionAborted',
} as const;

/** Ends the run; nothing of it goes on. One that ran out of its time has no outcome, as on AWS. */
export const end = (step: Step, status: keyof typeof ends, outcome?: { output: Json } | Failure) => {
  Object.assign(step.run, { status, stopped_at: step.now, branches: [], ...outcome });
  addEvent(step, ends[status], undefined, outcome && 'error' in outcome ? outcome : undefined);
};

const enter = (step: Step, branch: Branch, name: string, input: Json) => {
  Object.assign(branch, { state: name, entered_at: step.now, input, retries: [], doing: { is: 'ready' } });
  addEvent(step, `${stateOf(step.machine, step.run, branch).Type}StateEntered`, name);
};

/** A new branch, in the first state of its scope. */
export const beget = (step: Step, place: Pick<Branch, 'parent' | 'index' | 'item'>, input: Json) => {
  step.run.last_branch += 1;
  const blank = { state: '', entered_at: step.now, input: null, retries: [], doing: { is: 'ready' } } as const;
  const branch: Branch = { id: step.run.last_branch, ...place, variables: {}, ...blank, retries: [] };
  step.run.branches.push(branch);
  enter(step, branch, scopeOf(step.machine, step.run, branch).StartAt, input);
};

/** The ASL error of what was thrown: a Fault by its name; anything else is our own mistake. */
export const toFailure = (error: unknown): Failure =>
  isFault(error)
    ? { error: error.name, cause: error.message }
    : { error: 'States.Runtime', cause: `The interpreter failed: ${String(error)}.` };

const noteEvaluation = (step: Step, branch: Branch, failure: Failure) => {
  if (failure.error === 'States.QueryEvaluationError') addEvent(step, 'EvaluationFailed', branch.state, failure);
  return failure;
};

const finish = (step: Step, branch: Branch, output: Json) => {
  const parent = parentOf(step.run, branch);
  if (!parent) return end(step, 'SUCCEEDED', { output });
  const doing = parent.doing as ChildrenDoing;
  doing.results[branch.index] = output;
  doing.ended += 1;
  step.run.branches = step.run.branches.filter((each) => each !== branch);
  if (doing.items) addEvent(step, 'MapIterationSucceeded', parent.state);
};

type Seen = Parameters<typeof visible>[2];

/** Output and Assign see the variables as they were when the state began; nothing changes unless both evaluate. */
const leave = async (step: Step, branch: Branch, exit: Exit, seen: Seen, otherwise: Json) => {
  const sees = visible(step, branch, seen);
  const output = limit(exit.Output === undefined ? otherwise : await evaluate(exit.Output, sees), 'Output');
  const assigned = exit.Assign && limit(await evaluate(exit.Assign, sees), 'Assign');
  if (assigned) branch.variables = limitVariables({ ...branch.variables, ...(assigned as object) });
  addEvent(step, `${stateOf(step.machine, step.run, branch).Type}StateExited`, branch.state);
  if (exit.Next === undefined) finish(step, branch, output);
  else enter(step, branch, exit.Next, output);
};

const limitVariables = <T extends Branch['variables']>(variables: T): T => {
  limit(variables, 'The variables of one scope', quotas.variables);
  return variables;
};

const isWithin = (run: Run, branch: Branch, ancestor: Branch): boolean => {
  const parent = parentOf(run, branch);
  return parent !== undefined && (parent === ancestor || isWithin(run, parent, ancestor));
};

/** A failed branch takes its siblings with it; the Parallel or Map state around them fails by the same error. */
const giveUp = (step: Step, branch: Branch, { ofState, ...failure }: Omit<FailedDoing, 'is'>) => {
  const { run, machine } = step;
  const parent = parentOf(run, branch);
  if (!parent) return end(step, 'FAILED', failure);
  const { Type } = stateOf(machine, run, parent);
  const others = run.branches.filter((each) => each !== branch && isWithin(run, each, parent));
  for (const each of others) {
    addEvent(step, `${stateOf(machine, run, each).Type}StateAborted`, each.state);
    if (each.item) addEvent(step, 'MapIterationAborted', parentOf(run, each)!.state);
  }
  if (Type === 'Map') addEvent(step, 'MapIterationFailed', parent.state, failure);
  addEvent(step, `${Type}StateFailed`, parent.state, failure);
  run.branches = run.branches.filter((each) => each !== branch && !others.includes(each));
  parent.doing = { is: 'failed', ofState, ...failure };
};

const recover = async (step: Step, branch: Branch, state: State, { error, cause, ofState }: FailedDoing) => {
  const { Retry = [], Catch = [] } = state as Partial<Extract<State, { Type: 'Task' }>>;
  const retry = nextRetry(Retry, branch.retries, { error, ofState }, step.chance.number());
  if (retry) {
    branch.retries = Retry.map((_, index) => (branch.retries[index] ?? 0) + (index === retry.index ? 1 : 0));
    branch.doing = { is: 'backoff', until: step.now + Math.round(1000 * retry.seconds) };
    step.retried.push({ state: branch.state, error, cause, seconds: retry.seconds });
    return;
  }
  const catcher = findCatcher(Catch, { error, ofState });
  if (!catcher) return giveUp(step, branch, { error, cause, ofState });
  const errorOutput = { Error: error, Cause: cause };
  try {
    await leave(step, branch, catcher, { errorOutput }, errorOutput);
  } catch (caught) {
    giveUp(step, branch, { ofState: true, ...noteEvaluation(step, branch, toFailure(caught)) });
  }
};

const beginChildren = (step: Step, branch: Branch, doing: ChildrenDoing) => {
  while (doing.begun < doing.inputs.length && doing.begun - doing.ended < doing.limit) {
    const index = doing.begun;
    doing.begun += 1;
    if (doing.items) addEvent(step, 'MapIterationStarted', branch.state);
    const item = doing.items && { item: { Index: index, Value: doing.items[index]! } };
    beget(step, { parent: branch.id, index, ...item }, doing.inputs[index]!);
  }
};

const joins = ({ ended, inputs }: ChildrenDoing) => ended === inputs.length;

/** Branches that can go on without anybody else. */
const isRestless = ({ doing }: Branch, now: number): boolean => {
  if (doing.is === 'children') {
    return joins(doing) || (doing.begun < doing.inputs.length && doing.begun - doing.ended < doing.limit);
  }
  return doing.is === 'wait' ? doing.until <= now : ['ready', 'done', 'failed'].includes(doing.is);
};

const advance = async (step: Step, branch: Branch, state: State): Promise<void> => {
  const { doing } = branch;
  if (doing.is === 'ready') {
    const behave = behaviours[state.Type] as (step: Step, branch: Branch, state: State) => Promise<Branch['doing']>;
    branch.doing = await behave(step, branch, state);
  } else if (doing.is === 'wait') {
    branch.doing = { is: 'done', exit: state as Exit };
  } else if (doing.is === 'done') {
    const { result } = doing;
    await leave(step, branch, doing.exit, result === undefined ? {} : { result }, result ?? branch.input);
  } else if (doing.is === 'failed') {
    await recover(step, branch, state, doing);
  } else if (doing.is === 'children' && joins(doing)) {
    addEvent(step, `${state.Type}StateSucceeded`, branch.state);
    branch.doing = { is: 'done', exit: state as Exit, result: doing.results as Json[] };
  } else {
    beginChildren(step, branch, doing as ChildrenDoing);
  }
};

/** Moves every branch on until all of them rest or the run has ended. */
export const drive = async (step: Step): Promise<void> => {
  const { run, machine, now } = step;
  while (run.status === 'RUNNING') {
    if (run.last_event >= quotas.events - 1) {
      const cause = `The execution reached the maximum number of history events (${quotas.events}).`;
      return end(step, 'FAILED', { error: 'States.Runtime', cause });
    }
    const branch = run.branches.find((each) => isRestless(each, now));
    if (!branch) return;
    try {
      await advance(step, branch, stateOf(machine, run, branch));
    } catch (error) {
      branch.doing = { is: 'failed', ofState: true, ...noteEvaluation(step, branch, toFailure(error)) };
    }
  }
};
