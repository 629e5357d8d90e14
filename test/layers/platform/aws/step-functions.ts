/**
 * The real service, or LocalStack, as a subject of the conformance suite. Needs nothing but Step Functions: the task
 * that waits starts an execution of a second machine, and the token is read from the history.
 */
import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  GetExecutionHistoryCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';

import { settingsOf, type Site } from '../../../../layers/platform/aws/client.ts';
import { createAwsWorkflows } from '../../../../layers/platform/aws/workflows.ts';
import { callback, type Subject } from '../../../conformance/workflows.ts';

const roleArn = process.env['INGOT_SFN_ROLE_ARN'] ?? 'arn:aws:iam::000000000000:role/ingot-test';

const create = async (client: SFNClient, name: string, definition: object): Promise<string> => {
  const asked = { name, roleArn, definition: JSON.stringify(definition) };
  const { stateMachineArn } = await client.send(new CreateStateMachineCommand(asked));
  return stateMachineArn!;
};

const asking = (heard: string) => ({
  ...callback,
  States: {
    Ask: {
      ...callback.States.Ask,
      Resource: 'arn:aws:states:::states:startExecution.waitForTaskToken',
      Arguments: { StateMachineArn: heard, Input: { token: '{% $states.context.Task.Token %}' } },
    },
  },
});

/** Once the task is submitted: LocalStack loses what is sent to a token before. */
const findToken = async (client: SFNClient, executionArn: string): Promise<string> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
    const given = events.find(({ type }) => type === 'TaskScheduled')?.taskScheduledEventDetails?.parameters;
    if (given && events.some(({ type }) => type === 'TaskSubmitted'))
      return (JSON.parse(given) as { Input: { token: string } }).Input.token;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${executionArn} scheduled no task.`);
};

/** Makes the two machines; `close` deletes them. */
export const createRealSubject = async (site: Site): Promise<Subject> => {
  const client = new SFNClient(settingsOf(site));
  const suffix = `${process.pid}-${Date.now()}`;
  const pass = { QueryLanguage: 'JSONata', StartAt: 'Heard', States: { Heard: { Type: 'Pass', End: true } } };
  const heard = await create(client, `ingot-heard-${suffix}`, pass);
  const arn = await create(client, `ingot-callback-${suffix}`, asking(heard));
  const close = async () => {
    for (const stateMachineArn of [arn, heard]) await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
    client.destroy();
  };
  return {
    workflows: createAwsWorkflows({ site, arns: { callback: arn } }),
    token: async (name) => findToken(client, `${arn.replace(':stateMachine:', ':execution:')}:${name}`),
    close,
  };
};
