/** `Workflows` on AWS Step Functions (Standard). */
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  InvalidToken,
  paginateGetExecutionHistory,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
  StopExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
  type DescribeExecutionOutput,
  type HistoryEvent as AwsEvent,
  SFNClient,
} from '@aws-sdk/client-sfn';

import { NotFound } from '../../domain/fault.ts';
import type { Delivery, Execution, HistoryEvent, Workflows } from '../workflows.ts';

// For ports.ts, which loads this file when it is needed, with the client.
export { SFNClient };

type Needs = {
  readonly client: SFNClient;
  /** ARN of the state machine of each workflow. */
  readonly arns: Readonly<Record<string, string>>;
};

/** Lengths that the API accepts; what is longer is cut, for a failure must not fail on its own words. */
const longest = { error: 256, cause: 32_768 };

/** The same number of lines a page as the API gives at most. */
const pageSize = 1000;

const unless = async <T>(kinds: readonly (new (...args: never[]) => Error)[], call: Promise<T>) =>
  call.catch((error: unknown) => {
    if (kinds.some((kind) => error instanceof kind)) return undefined;
    throw error;
  });

const deliver = async (call: Promise<unknown>): Promise<Delivery> =>
  (await unless([TaskTimedOut, TaskDoesNotExist, InvalidToken], call)) ? 'delivered' : 'gone';

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
  return events.map(({ id, type, timestamp, previousEventId, ...details }) => {
    const named = details.stateEnteredEventDetails?.name ?? details.stateExitedEventDetails?.name;
    const state = type!.startsWith('Execution') ? undefined : (named ?? states.get(previousEventId ?? 0));
    if (state !== undefined) states.set(id!, state);
    return { id: id!, at: timestamp!.toISOString(), type: type!, ...(state !== undefined && { state }) };
  });
};

/**
 * The port over a client. Every method throws NotFound (404) for a workflow without an ARN, and what the SDK throws
 * for what this page does not translate. An execution's ARN follows from that of its machine, so nothing is looked up.
 */
export const createAwsWorkflows = ({ client, arns }: Needs): Workflows => {
  const machineArn = (workflow: string): string => {
    const arn = arns[workflow];
    if (!arn) throw NotFound(`There is no workflow "${workflow}".`);
    return arn;
  };
  const executionArn = (workflow: string, name: string) =>
    `${machineArn(workflow).replace(':stateMachine:', ':execution:')}:${name}`;

  const readHistory = async (workflow: string, name: string) => {
    const events: AwsEvent[] = [];
    const pages = paginateGetExecutionHistory(
      { client, pageSize },
      { executionArn: executionArn(workflow, name), includeExecutionData: false },
    );
    for await (const page of pages) events.push(...(page.events ?? []));
    return events;
  };

  return {
    start: async (workflow, name, input) => {
      const stateMachineArn = machineArn(workflow);
      const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
      await unless([ExecutionAlreadyExists], client.send(command));
    },
    succeed: async (taskToken, output) =>
      deliver(client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output ?? null) }))),
    fail: async (taskToken, error, cause) =>
      deliver(
        client.send(
          new SendTaskFailureCommand({
            taskToken,
            error: error.slice(0, longest.error),
            cause: cause.slice(0, longest.cause),
          }),
        ),
      ),
    heartbeat: async (taskToken) => deliver(client.send(new SendTaskHeartbeatCommand({ taskToken }))),
    stop: async (workflow, name, error, cause) => {
      const command = new StopExecutionCommand({
        executionArn: executionArn(workflow, name),
        error: error.slice(0, longest.error),
        cause: cause.slice(0, longest.cause),
      });
      await unless([ExecutionDoesNotExist], client.send(command));
    },
    describe: async (workflow, name) => {
      const command = new DescribeExecutionCommand({ executionArn: executionArn(workflow, name) });
      const found = await unless([ExecutionDoesNotExist], client.send(command));
      return found && toExecution(workflow, found);
    },
    history: async (workflow, name) =>
      toHistory((await unless([ExecutionDoesNotExist], readHistory(workflow, name))) ?? []),
  };
};
