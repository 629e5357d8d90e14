/** `Workflows` on AWS Step Functions (Standard). */
import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  type HistoryEvent as AwsEvent,
  paginateGetExecutionHistory,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';

import { NotFound } from '../../domain/fault.ts';
import type { Delivery, Execution, HistoryEvent, Start, Workflows } from '../workflows.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

type Needs = {
  readonly site?: Site;
  /** ARN of the state machine of each workflow. */
  readonly arns: Readonly<Record<string, string>>;
};

/** Lengths that the API accepts; what is longer is cut, for a failure must not fail on its own words. */
const longest = { error: 256, cause: 32_768 };

const cut = (error: string, cause: string) => ({
  error: error.slice(0, longest.error),
  cause: cause.slice(0, longest.cause),
});

/** The most lines a page that the API gives. */
const pageSize = 1000;

/** The answer; undefined when it is one of these refusals. */
const unless = async <T>(names: readonly string[], call: Promise<T>): Promise<T | undefined> =>
  call.catch((error: Error) => {
    if (names.includes(error.name)) return undefined;
    throw withoutWords(error);
  });

const deliver = async (call: Promise<object>): Promise<Delivery> =>
  (await unless(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'], call)) ? 'delivered' : 'gone';

const toExecution = (workflow: string, found: DescribeExecutionOutput): Execution => ({
  workflow,
  name: found.name!,
  // Only a redrive, which nothing here asks for, would make it pending; it has failed before that.
  status: found.status === 'PENDING_REDRIVE' ? 'FAILED' : found.status!,
  started_at: found.startDate!.toISOString(),
  ...(found.stopDate && { stopped_at: found.stopDate.toISOString() }),
  ...(found.error && { error: found.error }),
  ...(found.cause && { cause: found.cause }),
});

/** Only the events of entering and leaving name their state; the others point back at the one before them. */
const toHistory = (events: readonly AwsEvent[]): HistoryEvent[] => {
  const states = new Map<number, string>();
  return events.map((event) => {
    const [id, type] = [event.id!, event.type!];
    const named = event.stateEnteredEventDetails?.name ?? event.stateExitedEventDetails?.name;
    const state = type.startsWith('Execution') ? undefined : (named ?? states.get(event.previousEventId ?? 0));
    if (state !== undefined) states.set(id, state);
    return { id, at: event.timestamp!.toISOString(), type, ...(state !== undefined && { state }) };
  });
};

/**
 * The workflows whose machines are named. Every method throws NotFound (404) for a workflow without an ARN, and what the
 * client throws for what this page does not translate. An execution's ARN follows from that of its machine, so nothing is looked up.
 */
export const createAwsWorkflows = ({ site = {}, arns }: Needs): Workflows => {
  const client = new SFNClient(settingsOf(site));
  const machineArn = (workflow: string): string => {
    const arn = arns[workflow];
    if (!arn) throw NotFound(`There is no workflow "${workflow}".`);
    return arn;
  };
  const executionArn = (workflow: string, name: string) =>
    `${machineArn(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

  const describe = async (workflow: string, name: string): Promise<Execution | undefined> => {
    const command = new DescribeExecutionCommand({ executionArn: executionArn(workflow, name) });
    const found = await unless(['ExecutionDoesNotExist'], client.send(command));
    return found && toExecution(workflow, found);
  };

  /** The API refuses a name that has ended, but also a running one with another input: a look tells which. */
  const start = async (workflow: string, name: string, input: object): Promise<Start> => {
    const asked = { stateMachineArn: machineArn(workflow), name, input: JSON.stringify(input) };
    const started = client.send(new StartExecutionCommand(asked));
    if (await unless(['ExecutionAlreadyExists'], started)) return 'running';
    return (await describe(workflow, name))?.status === 'RUNNING' ? 'running' : 'ended';
  };

  const readHistory = async (workflow: string, name: string): Promise<AwsEvent[]> => {
    const asked = { executionArn: executionArn(workflow, name), includeExecutionData: false };
    const all: AwsEvent[] = [];
    for await (const { events = [] } of paginateGetExecutionHistory({ client, pageSize }, asked)) all.push(...events);
    return all;
  };

  return {
    start,
    succeed: async (taskToken, output) =>
      deliver(client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output ?? null) }))),
    fail: async (taskToken, error, cause) =>
      deliver(client.send(new SendTaskFailureCommand({ taskToken, ...cut(error, cause) }))),
    heartbeat: async (taskToken) => deliver(client.send(new SendTaskHeartbeatCommand({ taskToken }))),
    stop: async (workflow, name, error, cause) => {
      const command = new StopExecutionCommand({ executionArn: executionArn(workflow, name), ...cut(error, cause) });
      await unless(['ExecutionDoesNotExist'], client.send(command));
    },
    describe,
    history: async (workflow, name) =>
      toHistory((await unless(['ExecutionDoesNotExist'], readHistory(workflow, name))) ?? []),
  };
};
