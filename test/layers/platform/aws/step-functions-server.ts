/**
 * Step Functions' wire protocol (AWS JSON 1.0) in front of any `Workflows`, so that the adapter is tested through
 * the wire. Answers what the API answers, in pages of three.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { HistoryEvent, Workflows } from '../../../../layers/platform/workflows.ts';

type Body = Record<string, string>;
type Operation = (workflows: Workflows, body: Body) => Promise<object>;

/** An error as the API reports it. */
const refuse = (type: string): never => {
  throw Object.assign(new Error(type), { type });
};

export const machineArn = (workflow: string) => `arn:aws:states:eu-west-1:000000000000:stateMachine:ingot-${workflow}`;

/** Workflow and name of an execution's ARN. */
const parse = (arn: string): [string, string] => {
  const found = /^arn:aws:states:eu-west-1:000000000000:execution:ingot-([\w-]+):([\w-]+)$/.exec(arn);
  return found ? [found[1]!, found[2]!] : refuse('InvalidArn');
};

const find = async (workflows: Workflows, arn: string) =>
  (await workflows.describe(...parse(arn))) ?? refuse('ExecutionDoesNotExist');

const seconds = (iso: string) => Date.parse(iso) / 1000;

const toAws = ({ id, at, type, state }: HistoryEvent) => ({
  id,
  type,
  timestamp: seconds(at),
  previousEventId: id - 1,
  ...(type.endsWith('StateEntered') && { stateEnteredEventDetails: { name: state } }),
  ...(type.endsWith('StateExited') && { stateExitedEventDetails: { name: state } }),
});

const delivered = (answer: string) => (answer === 'gone' ? refuse('TaskTimedOut') : {});

const operations: Record<string, Operation> = {
  StartExecution: async (workflows, { stateMachineArn, name, input }) => {
    const workflow = stateMachineArn!.split('ingot-')[1]!;
    const known = await workflows.describe(workflow, name!);
    if (known && known.status !== 'RUNNING') return refuse('ExecutionAlreadyExists');
    await workflows.start(workflow, name!, JSON.parse(input!) as object);
    return { executionArn: 'unused', startDate: 0 };
  },
  SendTaskSuccess: async (workflows, { taskToken, output }) =>
    delivered(await workflows.succeed(taskToken!, JSON.parse(output!))),
  SendTaskFailure: async (workflows, { taskToken, error, cause }) =>
    delivered(await workflows.fail(taskToken!, error!, cause!)),
  SendTaskHeartbeat: async (workflows, { taskToken }) => delivered(await workflows.heartbeat(taskToken!)),
  StopExecution: async (workflows, { executionArn, error, cause }) => {
    await find(workflows, executionArn!);
    await workflows.stop(...parse(executionArn!), error!, cause!);
    return { stopDate: 0 };
  },
  DescribeExecution: async (workflows, { executionArn }) => {
    const { started_at: started, stopped_at: stopped, ...rest } = await find(workflows, executionArn!);
    return { ...rest, startDate: seconds(started), ...(stopped && { stopDate: seconds(stopped) }) };
  },
  GetExecutionHistory: async (workflows, { executionArn, nextToken = '0' }) => {
    await find(workflows, executionArn!);
    const history = await workflows.history(...parse(executionArn!));
    const end = Number(nextToken) + 3;
    const page = history.slice(Number(nextToken), end).map(toAws);
    return { events: page, ...(end < history.length && { nextToken: String(end) }) };
  },
};

/** Serves `workflows` on a free port of 127.0.0.1. */
export const serveStepFunctions = async (workflows: Workflows): Promise<{ server: Server; endpoint: string }> => {
  const server = createServer((request, response) => {
    const answer = async () => {
      const operation = String(request.headers['x-amz-target']).split('.')[1]!;
      return operations[operation]!(workflows, JSON.parse(await text(request)) as Body);
    };
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    answer().then(
      (body) => reply(200, body),
      (error: { type?: string; message: string }) =>
        reply(400, { __type: error.type ?? 'InternalError', message: error.message }),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};
