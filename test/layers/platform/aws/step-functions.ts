/**
 * The real service, or LocalStack, as a subject of the conformance suite. Needs nothing but Step Functions: the task
 * that waits starts an execution of a second machine, and the token is read from the history.
 */
import type { AwsJson } from '../../../../layers/platform/aws/json.ts';
import { createAwsWorkflows } from '../../../../layers/platform/aws/workflows.ts';
import { callback, type Subject } from '../../../conformance/workflows.ts';

const roleArn = process.env['INGOT_SFN_ROLE_ARN'] ?? 'arn:aws:iam::000000000000:role/ingot-test';

const create = async (client: AwsJson, name: string, definition: object): Promise<string> => {
  const answer = await client.call('CreateStateMachine', { name, roleArn, definition: JSON.stringify(definition) });
  return (answer as { stateMachineArn: string }).stateMachineArn;
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

type History = {
  readonly events?: { readonly type: string; readonly taskScheduledEventDetails?: { readonly parameters: string } }[];
};

const findToken = async (client: AwsJson, executionArn: string): Promise<string> => {
  for (let tries = 0; tries < 200; tries += 1) {
    const { events = [] } = (await client.call('GetExecutionHistory', { executionArn })) as History;
    const given = events.find(({ type }) => type === 'TaskScheduled')?.taskScheduledEventDetails?.parameters;
    if (given) return (JSON.parse(given) as { Input: { token: string } }).Input.token;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${executionArn} scheduled no task.`);
};

/** Makes the two machines; `close` deletes them. */
export const createRealSubject = async (client: AwsJson): Promise<Subject> => {
  const suffix = `${process.pid}-${Date.now()}`;
  const pass = { QueryLanguage: 'JSONata', StartAt: 'Heard', States: { Heard: { Type: 'Pass', End: true } } };
  const heard = await create(client, `ingot-heard-${suffix}`, pass);
  const arn = await create(client, `ingot-callback-${suffix}`, asking(heard));
  const close = async () => {
    for (const stateMachineArn of [arn, heard]) await client.call('DeleteStateMachine', { stateMachineArn });
    client.destroy();
  };
  return {
    workflows: createAwsWorkflows({ client, arns: { callback: arn } }),
    token: async (name) => findToken(client, `${arn.replace(':stateMachine:', ':execution:')}:${name}`),
    close,
  };
};
