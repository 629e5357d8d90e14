/** What each type of state does when a run comes to it: one row a type. */
import { Fault } from '../../layers/domain/fault.ts';
import { evaluate, isExpression, isTimestamp, QueryEvaluationError, type Json, type Visible } from './expression.ts';
import {
  resources,
  type Choice,
  type Fail,
  type MapState,
  type Parallel,
  type Pass,
  type State,
  type StateType,
  type Succeed,
  type Task,
  type Wait,
} from './language.ts';
import {
  addEvent,
  parentOf,
  quotas,
  variablesOf,
  type Branch,
  type ChildrenDoing,
  type Doing,
  type Run,
  type Step,
} from './run.ts';

const arn = (kind: string, ...names: string[]) => `arn:aws:states:local:000000000000:${kind}:${names.join(':')}`;

/** The item of the nearest Map state around a branch. */
const itemOf = (run: Run, branch: Branch): Branch['item'] => {
  const parent = parentOf(run, branch);
  return branch.item ?? (parent && itemOf(run, parent));
};

/** The context object, `$states.context`. */
const contextOf = ({ run }: Step, branch: Branch, extra: { [name: string]: Json }): Json => {
  const item = itemOf(run, branch);
  return {
    Execution: {
      Id: arn('execution', run.workflow, run.name),
      Input: run.input,
      Name: run.name,
      RoleArn: 'arn:aws:iam::000000000000:role/local',
      StartTime: new Date(run.started_at).toISOString(),
      RedriveCount: 0,
    },
    State: {
      EnteredTime: new Date(branch.entered_at).toISOString(),
      Name: branch.state,
      RetryCount: branch.retries.reduce((sum, count) => sum + (count ?? 0), 0),
    },
    StateMachine: { Id: arn('stateMachine', run.workflow), Name: run.workflow },
    ...(item && { Map: { Item: item } }),
    ...extra,
  };
};

type Seen = { readonly result?: Json; readonly errorOutput?: Json };

/** What the expressions of a branch's state can see. `seen` is what exists at its end only, `extra` joins the context. */
export const visible = (
  step: Step,
  branch: Branch,
  seen: Seen = {},
  extra: { [name: string]: Json } = {},
): Visible => ({
  states: { input: branch.input, context: contextOf(step, branch, extra), ...seen },
  variables: variablesOf(step.run, branch),
  now: step.now,
  chance: step.chance,
});

/** Throws States.DataLimitExceeded for what is larger than a payload (or `most` bytes) may be. */
export const limit = (value: Json, what: string, most: number = quotas.payload): Json => {
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size <= most) return value;
  throw new Fault('States.DataLimitExceeded', 413, `${what} has ${size} bytes; the limit is ${most}.`);
};

const wholeNumber = async (field: string, value: number | string, sees: Visible, least: number): Promise<number> => {
  const number = await evaluate(value, sees);
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= 99_999_999) return number;
  const range = `a whole number from ${least} to 99999999`;
  throw QueryEvaluationError(`"${field}" gave ${JSON.stringify(number)}, and it must be ${range}.`);
};

const seconds = async (field: string, value: number | string | undefined, sees: Visible) =>
  value === undefined ? undefined : 1000 * (await wholeNumber(field, value, sees, 1));

const startTask = async (step: Step, branch: Branch, state: Task): Promise<Doing> => {
  const token = state.Resource === resources.callback ? step.chance.token() : undefined;
  const sees = visible(step, branch, {}, token === undefined ? {} : { Task: { Token: token } });
  const given = limit(await evaluate(state.Arguments as Json, sees), 'Arguments') as {
    FunctionName: Json;
    Payload?: Json;
  };
  if (typeof given.FunctionName !== 'string') throw QueryEvaluationError('"FunctionName" must be a string.');
  const timeout = await seconds('TimeoutSeconds', state.TimeoutSeconds, sees);
  const heartbeat = await seconds('HeartbeatSeconds', state.HeartbeatSeconds, sees);
  addEvent(step, 'TaskScheduled', branch.state);
  addEvent(step, 'TaskStarted', branch.state);
  step.run.last_attempt += 1;
  return {
    is: 'task',
    attempt: step.run.last_attempt,
    call: { function: given.FunctionName, payload: given.Payload ?? {} },
    submitted: false,
    ...(token !== undefined && { token }),
    ...(timeout !== undefined && { timeout_at: step.now + timeout }),
    ...(heartbeat !== undefined && { heartbeat_ms: heartbeat, heartbeat_at: step.now + heartbeat }),
  };
};

const startChoice = async (step: Step, branch: Branch, state: Choice): Promise<Doing> => {
  const sees = visible(step, branch);
  for (const [index, rule] of state.Choices.entries()) {
    const holds = await evaluate(rule.Condition, sees);
    if (typeof holds !== 'boolean') {
      throw QueryEvaluationError(`Condition ${index} gave ${JSON.stringify(holds)}, and it must be true or false.`);
    }
    if (holds) return { is: 'done', exit: rule };
  }
  if (state.Default !== undefined) return { is: 'done', exit: { ...state, Next: state.Default } };
  throw new Fault('States.NoChoiceMatched', 400, 'No choice rule matched, and there is no Default.');
};

const startWait = async (step: Step, branch: Branch, state: Wait): Promise<Doing> => {
  const sees = visible(step, branch);
  if (state.Seconds !== undefined) {
    return { is: 'wait', until: step.now + 1000 * (await wholeNumber('Seconds', state.Seconds, sees, 0)) };
  }
  const at = await evaluate(state.Timestamp!, sees);
  if (!isTimestamp(at)) {
    throw QueryEvaluationError(`"Timestamp" gave ${JSON.stringify(at)}, and it must be a time as in RFC 3339.`);
  }
  return { is: 'wait', until: Date.parse(at) };
};

const children = (inputs: readonly Json[], limit: number, items?: readonly Json[]): ChildrenDoing => ({
  is: 'children',
  inputs,
  limit,
  ...(items && { items }),
  results: inputs.map(() => undefined),
  begun: 0,
  ended: 0,
});

const startParallel = async (step: Step, branch: Branch, state: Parallel): Promise<Doing> => {
  const given = state.Arguments === undefined ? branch.input : await evaluate(state.Arguments, visible(step, branch));
  const input = limit(given, 'Arguments');
  addEvent(step, 'ParallelStateStarted', branch.state);
  return children(
    state.Branches.map(() => input),
    state.Branches.length,
  );
};

const startMap = async (step: Step, branch: Branch, state: MapState): Promise<Doing> => {
  const items = state.Items === undefined ? branch.input : await evaluate(state.Items, visible(step, branch));
  if (!Array.isArray(items)) throw QueryEvaluationError(`"Items" gave ${typeof items}, and it must be an array.`);
  const select = async (Value: Json, Index: number) => {
    if (state.ItemSelector === undefined) return limit(Value, `Item ${Index}`);
    const sees = visible(step, branch, {}, { Map: { Item: { Index, Value } } });
    return limit(await evaluate(state.ItemSelector, sees), `ItemSelector for item ${Index}`);
  };
  const inputs = await Promise.all(items.map(select));
  const wanted = await wholeNumber('MaxConcurrency', state.MaxConcurrency ?? 0, visible(step, branch), 0);
  addEvent(step, 'MapStateStarted', branch.state);
  return children(inputs, Math.min(wanted || quotas.concurrency, quotas.concurrency), items);
};

const text = async (value: string | undefined, field: string, sees: Visible): Promise<string | undefined> => {
  if (value === undefined || !isExpression(value)) return value;
  const given = await evaluate(value, sees);
  if (typeof given !== 'string')
    throw QueryEvaluationError(`"${field}" gave ${typeof given}, and it must be a string.`);
  return given;
};

const startFail = async (step: Step, branch: Branch, state: Fail): Promise<Doing> => {
  const sees = visible(step, branch);
  const error = (await text(state.Error, 'Error', sees)) ?? '';
  return { is: 'failed', error, cause: (await text(state.Cause, 'Cause', sees)) ?? '' };
};

const pass = async (_step: Step, _branch: Branch, exit: Pass | Succeed): Promise<Doing> => ({ is: 'done', exit });

type Start<T extends StateType> = (step: Step, branch: Branch, state: Extract<State, { Type: T }>) => Promise<Doing>;

/** Begins the state that a branch stands in. Throws a Fault, whose name is the ASL error, when it cannot. */
export const behaviours: { readonly [T in StateType]: Start<T> } = {
  Task: startTask,
  Choice: startChoice,
  Wait: startWait,
  Parallel: startParallel,
  Map: startMap,
  Fail: startFail,
  Pass: pass,
  Succeed: pass,
};
