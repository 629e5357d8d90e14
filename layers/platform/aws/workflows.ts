/** `Workflows` on AWS Step Functions (Standard). */
import { NotFound } from '../../domain/fault.ts';
import type { Delivery, Execution, HistoryEvent, Start, Workflows } from '../workflows.ts';
import { type AwsJson, createAwsJson } from './json.ts';

// For platform.ts, which loads this file when it is needed, with the client.
export { createAwsJson };

type Needs = {
  /** Of Step Functions. */
  readonly client: AwsJson;
  /** ARN of the state machine of each workflow. */
  readonly arns: Readonly<Record<string, string>>;
};

/** Lengths that the API accepts; what is longer is cut, for a failure must not fail on its own words. */
const longest = { error: 256, cause: 32_768 };

const cut = (error: string, cause: string) => ({
  error: error.slice(0, longest.error),
  cause: cause.slice(0, longest.cause),
});

/** The same number of lines a page as the API gives at most. */
const pageSize = 1000;

/** The answer; undefined when it is one of these refusals. */
const unless = async (names: readonly string[], call: Promise<object>): Promise<object | undefined> =>
  call.catch((error: Error) => {
    if (names.includes(error.name)) return undefined;
    throw error;
  });

const deliver = async (call: Promise<object>): Promise<Delivery> =>
  (await unless(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'], call)) ? 'delivered' : 'gone';

/** What DescribeExecution answers, as far as it is read; times in seconds. */
type Described = {
  readonly name: string;
  readonly status: Execution['status'] | 'PENDING_REDRIVE';
  readonly startDate: number;
  readonly stopDate?: number;
  readonly error?: string;
  readonly cause?: string;
};

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const toExecution = (workflow: string, found: Described): Execution => ({
  workflow,
  name: found.name,
  // Only a redrive, which nothing here asks for, would make it pending; it has failed before that.
  status: found.status === 'PENDING_REDRIVE' ? 'FAILED' : found.status,
  started_at: isoOf(found.startDate),
  ...(found.stopDate && { stopped_at: isoOf(found.stopDate) }),
  ...(found.error && { error: found.error }),
  ...(found.cause && { cause: found.cause }),
});

/** An event of GetExecutionHistory, as far as it is read. */
type AwsEvent = {
  readonly id: number;
  readonly type: string;
  readonly timestamp: number;
  readonly previousEventId?: number;
  readonly stateEnteredEventDetails?: { readonly name: string };
  readonly stateExitedEventDetails?: { readonly name: string };
};
type Page = { readonly events?: readonly AwsEvent[]; readonly nextToken?: string };

/** Only the events of entering and leaving name their state; the others point back at the one before them. */
const toHistory = (events: readonly AwsEvent[]): HistoryEvent[] => {
  const states = new Map<number, string>();
  return events.map(({ id, type, timestamp, previousEventId, ...details }) => {
    const named = details.stateEnteredEventDetails?.name ?? details.stateExitedEventDetails?.name;
    const state = type.startsWith('Execution') ? undefined : (named ?? states.get(previousEventId ?? 0));
    if (state !== undefined) states.set(id, state);
    return { id, at: isoOf(timestamp), type, ...(state !== undefined && { state }) };
  });
};

/**
 * The workflows over a client. Every method throws NotFound (404) for a workflow without an ARN, and what the client
 * throws for what this page does not translate. An execution's ARN follows from that of its machine, so nothing is looked up.
 */
export const createAwsWorkflows = ({ client, arns }: Needs): Workflows => {
  const machineArn = (workflow: string): string => {
    const arn = arns[workflow];
    if (!arn) throw NotFound(`There is no workflow "${workflow}".`);
    return arn;
  };
  const executionArn = (workflow: string, name: string) =>
    `${machineArn(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

  const describe = async (workflow: string, name: string): Promise<Execution | undefined> => {
    const asked = { executionArn: executionArn(workflow, name) };
    const found = await unless(['ExecutionDoesNotExist'], client.call('DescribeExecution', asked));
    return found && toExecution(workflow, found as Described);
  };

  /** The API refuses a name that has ended, but also a running one with another input: a look tells which. */
  const start = async (workflow: string, name: string, input: object): Promise<Start> => {
    const asked = { stateMachineArn: machineArn(workflow), name, input: JSON.stringify(input) };
    if (await unless(['ExecutionAlreadyExists'], client.call('StartExecution', asked))) return 'running';
    return (await describe(workflow, name))?.status === 'RUNNING' ? 'running' : 'ended';
  };

  const readHistory = async (workflow: string, name: string): Promise<AwsEvent[] | undefined> => {
    const asked = { executionArn: executionArn(workflow, name), includeExecutionData: false, maxResults: pageSize };
    const all: AwsEvent[] = [];
    for (let nextToken: string | undefined = ''; nextToken !== undefined;) {
      const input = { ...asked, ...(nextToken !== '' && { nextToken }) };
      const page: Page | undefined = await unless(['ExecutionDoesNotExist'], client.call('GetExecutionHistory', input));
      if (!page) return undefined;
      all.push(...(page.events ?? []));
      ({ nextToken } = page);
    }
    return all;
  };

  return {
    start,
    succeed: async (taskToken, output) =>
      deliver(client.call('SendTaskSuccess', { taskToken, output: JSON.stringify(output ?? null) })),
    fail: async (taskToken, error, cause) =>
      deliver(client.call('SendTaskFailure', { taskToken, ...cut(error, cause) })),
    heartbeat: async (taskToken) => deliver(client.call('SendTaskHeartbeat', { taskToken })),
    stop: async (workflow, name, error, cause) => {
      const asked = { executionArn: executionArn(workflow, name), ...cut(error, cause) };
      await unless(['ExecutionDoesNotExist'], client.call('StopExecution', asked));
    },
    describe,
    history: async (workflow, name) => toHistory((await readHistory(workflow, name)) ?? []),
  };
};
