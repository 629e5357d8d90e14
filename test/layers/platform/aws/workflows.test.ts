import { expect, it } from 'vitest';

import { createAwsJson } from '../../../../layers/platform/aws/json.ts';
import { createAwsWorkflows } from '../../../../layers/platform/aws/workflows.ts';
import { callback, describeRuns, describeWorkflows, type Subject } from '../../../conformance/workflows.ts';
import { createMemoryWorkflows } from '../../../../layers/platform/memory/workflows.ts';
import { createWorld } from '../../../local/states/world.ts';
import { machineArn, serveStepFunctions } from './step-functions-server.ts';
import { createRealSubject } from './step-functions.ts';

const clientFor = (endpoint: string) =>
  createAwsJson('states', {
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

const throughTheWire = async (): Promise<Subject> => {
  const { states, calls } = await createWorld({ machines: { callback }, script: { ask: () => null } });
  const { server, endpoint } = await serveStepFunctions(states);
  const client = clientFor(endpoint);
  const token = async (name: string) => {
    await states.idle();
    const asked = calls.map(({ payload }) => payload as { run: string; token: string });
    return asked.find(({ run }) => run === name)!.token;
  };
  const close = async () => {
    client.destroy();
    server.close();
    await states.close();
  };
  return { workflows: createAwsWorkflows({ client, arns: { callback: machineArn('callback') } }), token, close };
};

describeWorkflows('the AWS adapter, in front of the interpreter', throughTheWire);
describeRuns('the AWS adapter, in front of the interpreter', throughTheWire);

const { INGOT_SFN_ENDPOINT: endpoint } = process.env;
if (endpoint) {
  describeWorkflows(`Step Functions at ${endpoint}`, async () => createRealSubject(clientFor(endpoint)));
  describeRuns(`Step Functions at ${endpoint}`, async () => createRealSubject(clientFor(endpoint)));
}

it('refuses a workflow that has no state machine', async () => {
  const workflows = createAwsWorkflows({ client: clientFor('http://127.0.0.1:9'), arns: {} });
  await expect(workflows.start('nothing', 'x', {})).rejects.toMatchObject({ name: 'NotFound' });
});

it('cuts words that the API would refuse for their length', async () => {
  const recorder = createMemoryWorkflows();
  const { server, endpoint: url } = await serveStepFunctions(recorder);
  const client = clientFor(url);
  const workflows = createAwsWorkflows({ client, arns: {} });
  expect(await workflows.fail('token', 'E'.repeat(300), 'c'.repeat(40_000))).toBe('delivered');
  expect(recorder.delivered[0]!.error).toHaveLength(256);
  client.destroy();
  server.close();
});
