/**
 * The part of the Amazon States Language that is spoken here, as tables: which fields each state type has and what
 * they may be. A field that is not in its table is refused when the file is loaded, never ignored.
 */
import { z } from 'zod';

import { isExpression, type Json } from './expression.ts';

const json = z.json() as z.ZodType<Json>;
const expression = z.string().refine(isExpression, 'must be a JSONata expression, "{% ... %}"');
const whole = (least: number, most = 99_999_999) => z.union([z.int().min(least).max(most), expression]);
const stateName = z.string().min(1).max(80);
const variableName = z.string().regex(/^[\p{ID_Start}_][\p{ID_Continue}]{0,79}$/u, 'must be an identifier');
const assign = z.record(variableName, json);

const common = { Comment: z.string().optional(), QueryLanguage: z.literal('JSONata').optional() };
const flow = { Next: stateName.optional(), End: z.literal(true).optional() };
const result = { Output: json.optional(), Assign: assign.optional() };

/** Step Functions' own limits and defaults of a retrier. */
export const retrier = z.strictObject({
  ErrorEquals: z.array(z.string().min(1)).min(1),
  IntervalSeconds: z.int().min(1).max(99_999_999).default(1),
  MaxAttempts: z.int().min(0).max(99_999_999).default(3),
  BackoffRate: z.number().min(1).default(2),
  MaxDelaySeconds: z.int().min(1).max(31_622_400).optional(),
  JitterStrategy: z.enum(['FULL', 'NONE']).default('NONE'),
  Comment: z.string().optional(),
});

const catcher = z.strictObject({
  ErrorEquals: z.array(z.string().min(1)).min(1),
  Next: stateName,
  ...result,
  Comment: z.string().optional(),
});

const handlers = { Retry: z.array(retrier).optional(), Catch: z.array(catcher).optional() };

const rule = z.strictObject({
  Condition: z.union([expression, z.boolean()]),
  Next: stateName,
  ...result,
  Comment: z.string().optional(),
});

const scope = { Comment: z.string().optional(), StartAt: stateName, States: z.record(stateName, z.unknown()) };

/** The two ways to call a function; a `.waitForTaskToken` task ends when its token is delivered to. */
export const resources = {
  invoke: 'arn:aws:states:::lambda:invoke',
  callback: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
} as const;

/** The fields of each type of state. */
export const stateTypes = {
  Task: z.strictObject({
    ...common,
    Type: z.literal('Task'),
    Resource: z.enum([resources.invoke, resources.callback]),
    Arguments: z.strictObject({ FunctionName: z.string().min(1), Payload: json.optional() }),
    TimeoutSeconds: whole(1).optional(),
    HeartbeatSeconds: whole(1).optional(),
    ...handlers,
    ...result,
    ...flow,
  }),
  Choice: z.strictObject({
    ...common,
    Type: z.literal('Choice'),
    Choices: z.array(rule).min(1),
    Default: stateName.optional(),
    ...result,
  }),
  Wait: z.strictObject({
    ...common,
    Type: z.literal('Wait'),
    Seconds: whole(0).optional(),
    Timestamp: z.string().optional(),
    ...result,
    ...flow,
  }),
  Parallel: z.strictObject({
    ...common,
    Type: z.literal('Parallel'),
    Branches: z.array(z.strictObject(scope)).min(1),
    Arguments: json.optional(),
    ...handlers,
    ...result,
    ...flow,
  }),
  Map: z.strictObject({
    ...common,
    Type: z.literal('Map'),
    Items: z.union([expression, z.array(json)]).optional(),
    ItemSelector: json.optional(),
    ItemProcessor: z.strictObject({
      ...scope,
      ProcessorConfig: z.strictObject({ Mode: z.literal('INLINE') }).optional(),
    }),
    MaxConcurrency: whole(0).optional(),
    ...handlers,
    ...result,
    ...flow,
  }),
  Pass: z.strictObject({ ...common, Type: z.literal('Pass'), ...result, ...flow }),
  Succeed: z.strictObject({ ...common, Type: z.literal('Succeed'), Output: json.optional() }),
  Fail: z.strictObject({
    ...common,
    Type: z.literal('Fail'),
    Error: z.string().optional(),
    Cause: z.string().optional(),
  }),
} as const;

/** The fields of the file as a whole. */
export const machine = z.strictObject({
  ...scope,
  Version: z.literal('1.0').optional(),
  QueryLanguage: z.literal('JSONata'),
  TimeoutSeconds: z.int().min(1).max(99_999_999).optional(),
});

export type StateType = keyof typeof stateTypes;
type Row<T extends StateType> = z.output<(typeof stateTypes)[T]>;

/** A set of states with a beginning: the whole machine, a branch of a Parallel state or the processor of a Map state. */
export type Scope = { readonly StartAt: string; readonly States: { readonly [name: string]: State } };
export type Task = Row<'Task'>;
export type Choice = Row<'Choice'>;
export type Wait = Row<'Wait'>;
export type Parallel = Omit<Row<'Parallel'>, 'Branches'> & { readonly Branches: readonly Scope[] };
export type MapState = Omit<Row<'Map'>, 'ItemProcessor'> & { readonly ItemProcessor: Scope };
export type Pass = Row<'Pass'>;
export type Succeed = Row<'Succeed'>;
export type Fail = Row<'Fail'>;
export type State = Task | Choice | Wait | Parallel | MapState | Pass | Succeed | Fail;
export type Retrier = z.output<typeof retrier>;
export type Catcher = z.output<typeof catcher>;
export type Machine = Scope & { readonly TimeoutSeconds?: number | undefined };

/** Where a state goes when it ends, and what it gives and keeps: the state itself, a choice rule or a catcher. */
export type Exit = {
  readonly Output?: Json | undefined;
  readonly Assign?: { readonly [name: string]: Json } | undefined;
  readonly Next?: string | undefined;
};

/**
 * The error names that start with `States.`; no other may. (AWS has States.HeartbeatTimeout as well, and never gives it.)
 */
export const errorNames = [
  'States.ALL',
  'States.BranchFailed',
  'States.DataLimitExceeded',
  'States.ExceedToleratedFailureThreshold',
  'States.NoChoiceMatched',
  'States.Permissions',
  'States.QueryEvaluationError',
  'States.Runtime',
  'States.TaskFailed',
  'States.Timeout',
] as const;

const words = (text: string) => text.trim().split(/\s+/);

const refusal = (names: string, why: string) => Object.fromEntries(words(names).map((name) => [name, why]));

/** Why a field that the Amazon States Language has is not in a table above. */
export const refusals: Readonly<Record<string, string>> = {
  ...refusal(
    `InputPath OutputPath ResultPath Parameters ResultSelector Result ItemsPath Variable SecondsPath TimestampPath
     TimeoutSecondsPath HeartbeatSecondsPath MaxConcurrencyPath ErrorPath CausePath And Or Not`,
    'is JSONPath; only JSONata is spoken here (use Arguments, Output, Assign and Condition)',
  ),
  ...refusal(
    `ItemReader ItemBatcher ResultWriter Label ToleratedFailureCount ToleratedFailurePercentage
     ToleratedFailureCountPath ToleratedFailurePercentagePath ExecutionType DISTRIBUTED`,
    'belongs to the Distributed Map, which is not supported; only the inline Map is',
  ),
  Iterator: 'is the old name of ItemProcessor; use that',
  Credentials: 'is not supported: functions are called in the own account only',
  InvocationType: 'is not supported: functions are always called for their result',
};
