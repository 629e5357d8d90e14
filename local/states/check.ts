/** The rules of the Amazon States Language that concern several fields or states, checked when a file is loaded. */
import type { Fault } from '../../layers/domain/fault.ts';
import { isExpression, isTimestamp, type Json } from './expression.ts';
import { errorNames, resources, type Catcher, type Exit, type Retrier, type Scope, type State } from './language.ts';
import { references } from './references.ts';

/** Makes the Fault that says where something is wrong: the file, and the state if it is in one. */
export type Refuse = (state: string | undefined, what: string) => Fault;

type Place = { readonly state: string; readonly refuse: Refuse; readonly variables: ReadonlySet<string> };

/** The fields of `$states` that exist everywhere; `result` and `errorOutput` come and go. */
const always = ['input', 'context'];
const withResult = ['Task', 'Parallel', 'Map'];

const checkExpression = async ({ state, refuse, variables }: Place, field: string, text: string, seen: string[]) => {
  const found = await references(text).catch((error: unknown) => {
    throw refuse(state, `the expression in "${field}" does not parse: ${(error as Error).message}`);
  });
  const variable = found.variables.find((name) => !variables.has(name));
  if (variable) throw refuse(state, `"${field}" uses the variable $${variable}, which no state assigns`);
  const called = found.unknownFunctions.find((name) => !variables.has(name));
  if (called) throw refuse(state, `"${field}" calls $${called}, which is not a function of Step Functions`);
  const newer = found.newerOperators[0];
  if (newer)
    throw refuse(state, `"${field}" uses "${newer}", which the JSONata of Step Functions (2.0.6) does not have`);
  if (found.seedsChance) throw refuse(state, `"${field}" calls $random with a seed, which is not supported here`);
  const missing = found.fields.find((name) => !seen.includes(name));
  if (missing) throw refuse(state, `"${field}" uses $states.${missing}, which does not exist there`);
};

const checkTemplate = async (place: Place, field: string, value: Json | undefined, seen: string[]): Promise<void> => {
  if (typeof value === 'string') {
    if (isExpression(value)) await checkExpression(place, field, value, seen);
    else if (value.startsWith('{%') || value.endsWith('%}')) {
      throw place.refuse(place.state, `"${field}" has only one of "{%" and "%}"; an expression needs both`);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) await checkTemplate(place, `${field}.${name}`, each, seen);
  }
};

const checkExit = async (place: Place, at: string, exit: Exit, seen: string[]) => {
  await checkTemplate(place, `${at}Output`, exit.Output, seen);
  await checkTemplate(place, `${at}Assign`, exit.Assign, seen);
  if (exit.Assign && 'states' in exit.Assign) {
    throw place.refuse(place.state, `"${at}Assign" may not assign the reserved variable "states"`);
  }
};

const templates =
  'Arguments Seconds Timestamp TimeoutSeconds HeartbeatSeconds Items ItemSelector MaxConcurrency Error Cause'.split(
    ' ',
  );

const exitsOf = (state: State): [string, Exit, string[]][] => {
  const own = withResult.includes(state.Type) ? [...always, 'result'] : always;
  const rules = state.Type === 'Choice' ? state.Choices : [];
  const catchers = ('Catch' in state && state.Catch) || [];
  return [
    ['', state as Exit, own],
    ...rules.map((rule, index): [string, Exit, string[]] => [`Choices.${index}.`, rule, always]),
    ...catchers.map((each, index): [string, Exit, string[]] => [`Catch.${index}.`, each, [...always, 'errorOutput']]),
  ];
};

const checkExpressions = async (place: Place, state: State) => {
  const values = state as unknown as Record<string, Json | undefined>;
  for (const field of templates) await checkTemplate(place, field, values[field], always);
  for (const [at, exit, seen] of exitsOf(state)) await checkExit(place, at, exit, seen);
  if (state.Type !== 'Choice') return;
  for (const [index, { Condition }] of state.Choices.entries()) {
    await checkTemplate(place, `Choices.${index}.Condition`, Condition, always);
  }
};

const checkErrors = ({ state, refuse }: Place, field: string, list: readonly (Retrier | Catcher)[] = []) => {
  for (const [index, { ErrorEquals: names }] of list.entries()) {
    const at = `${field}.${index}.ErrorEquals`;
    if (names.includes('States.HeartbeatTimeout')) {
      throw refuse(state, `"${at}" names States.HeartbeatTimeout, and a missed heartbeat is States.Timeout`);
    }
    const unknown = names.find((name) => name.startsWith('States.') && !errorNames.some((known) => known === name));
    if (unknown) throw refuse(state, `"${at}" names ${unknown}; names that start with "States." are reserved`);
    if (names.includes('States.ALL') && (names.length > 1 || index < list.length - 1)) {
      throw refuse(state, `"${at}": States.ALL must stand alone and in the last one of "${field}"`);
    }
  }
};

/** Where a state may lead, each by the field that says so. */
const targetsOf = (state: State): [field: string, target: string][] => {
  const nexts = exitsOf(state).map(([at, { Next }]): [string, string | undefined] => [`${at}Next`, Next]);
  const targets = state.Type === 'Choice' ? [...nexts, ['Default', state.Default] as const] : nexts;
  return targets.flatMap(([field, target]) => (target === undefined ? [] : [[field, target]]));
};

const checkFlow = ({ state: name, refuse }: Place, state: State, scope: Scope) => {
  const ends = 'Next' in state || 'End' in state || !['Choice', 'Succeed', 'Fail'].includes(state.Type);
  if (ends && 'Next' in state === 'End' in state) throw refuse(name, 'needs either "Next" or "End"');
  const wrong = targetsOf(state).find(([, target]) => !Object.hasOwn(scope.States, target));
  if (wrong) throw refuse(name, `"${wrong[0]}" leads to "${wrong[1]}", and there is no such state beside it`);
};

/** Every state of a scope can be reached, and some of them can end it. `at` is the state whose scope this is. */
const checkReach = (scope: Scope, at: string | undefined, refuse: Refuse) => {
  const reached = new Set([scope.StartAt]);
  for (const name of reached) for (const [, target] of targetsOf(scope.States[name]!)) reached.add(target);
  const lost = Object.keys(scope.States).find((name) => !reached.has(name));
  if (lost !== undefined) throw refuse(lost, 'no way leads there from "StartAt"');
  const ends = Object.values(scope.States).some((state) => 'End' in state || ['Succeed', 'Fail'].includes(state.Type));
  if (!ends) throw refuse(at, `no state that "StartAt" leads to ends: one needs "End", or has to be Succeed or Fail`);
};

const checkFields = ({ state: name, refuse }: Place, state: State) => {
  if (state.Type === 'Wait' && (state.Seconds === undefined) === (state.Timestamp === undefined)) {
    throw refuse(name, 'needs either "Seconds" or "Timestamp"');
  }
  if (state.Type === 'Wait' && state.Timestamp !== undefined && !isExpression(state.Timestamp)) {
    if (!isTimestamp(state.Timestamp)) throw refuse(name, '"Timestamp" is not a time as in RFC 3339');
  }
  if (state.Type !== 'Task' || state.HeartbeatSeconds === undefined) return;
  if (state.Resource !== resources.callback) {
    throw refuse(name, '"HeartbeatSeconds" has no meaning without ".waitForTaskToken": nobody could send one');
  }
  const { TimeoutSeconds: timeout, HeartbeatSeconds: heartbeat } = state;
  if (typeof timeout === 'number' && typeof heartbeat === 'number' && heartbeat >= timeout) {
    throw refuse(name, '"HeartbeatSeconds" must be smaller than "TimeoutSeconds"');
  }
};

const checkState = async (place: Place, state: State, scope: Scope) => {
  checkFlow(place, state, scope);
  checkFields(place, state);
  if ('Retry' in state) checkErrors(place, 'Retry', state.Retry);
  if ('Catch' in state) checkErrors(place, 'Catch', state.Catch);
  await checkExpressions(place, state);
};

const scopesIn = (state: State): readonly Scope[] =>
  state.Type === 'Parallel' ? state.Branches : state.Type === 'Map' ? [state.ItemProcessor] : [];

const assignedIn = (scope: Scope): Map<string, string> =>
  new Map(
    Object.entries(scope.States).flatMap(([name, state]) =>
      exitsOf(state).flatMap(([, exit]) => Object.keys(exit.Assign ?? {}).map((variable) => [variable, name])),
    ),
  );

const checkScope = async (
  scope: Scope,
  at: string | undefined,
  outer: ReadonlySet<string>,
  names: Set<string>,
  refuse: Refuse,
): Promise<void> => {
  if (!Object.hasOwn(scope.States, scope.StartAt)) {
    throw refuse(at, `"StartAt" names "${scope.StartAt}", and there is no such state`);
  }
  const own = assignedIn(scope);
  for (const [variable, state] of own) {
    if (outer.has(variable)) throw refuse(state, `may not assign $${variable}: it belongs to an enclosing scope`);
  }
  const variables = new Set([...outer, ...own.keys()]);
  for (const [name, state] of Object.entries(scope.States)) {
    if (names.has(name)) throw refuse(name, 'its name is used twice; names are unique in the whole file');
    names.add(name);
    await checkState({ state: name, refuse, variables }, state, scope);
    for (const inner of scopesIn(state)) await checkScope(inner, name, variables, names, refuse);
  }
  checkReach(scope, at, refuse);
};

/** Throws InvalidDefinition, made by `refuse`, for the first rule that the machine breaks. */
export const check = async (machine: Scope, refuse: Refuse): Promise<void> =>
  checkScope(machine, undefined, new Set(), new Set(), refuse);
