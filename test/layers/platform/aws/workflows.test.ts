import { expect, it } from 'vitest';

import type { Site } from '../../../../layers/platform/aws/client.ts';
import { createAwsWorkflows } from '../../../../layers/platform/aws/workflows.ts';
import { callback, describeRuns, describeWorkflows, type Subject } from '../../../conformance/workflows.ts';
import { createMemoryWorkflows } from '../../../../layers/platform/memory/workflows.ts';
import { serveScript } from './scripted-server.ts';
import { createWorld } from '../../../local/states/world.ts';
import { machineArn, serveStepFunctions } from './step-functions-server.ts';
import { createRealSubject } from './step-functions.ts';

const siteAt = (endpoint: string): Site => ({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

const throughTheWire = async (): Promise<Subject> => {
  const { states, calls } = await createWorld({ machines: { callback }, script: { ask: () => null } });
  const { server, endpoint } = await serveStepFunctions(states);
  const token = async (name: string) => {
    await states.idle();
    const asked = calls.map(({ payload }) => payload as { run: string; token: string });
    return asked.find(({ run }) => run === name)!.token;
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await states.close();
  };
  return {
    workflows: createAwsWorkflows({ site: siteAt(endpoint), arns: { callback: machineArn('callback') } }),
    token,
    close,
  };
};

describeWorkflows('the AWS adapter, in front of the interpreter', throughTheWire);
describeRuns('the AWS adapter, in front of the interpreter', throughTheWire);

const { INGOT_SFN_ENDPOINT: endpoint } = process.env;
if (endpoint) {
  const site = process.env['AWS_ACCESS_KEY_ID'] ? { endpoint } : siteAt(endpoint);
  describeWorkflows(`Step Functions at ${endpoint}`, async () => createRealSubject(site));
  describeRuns(`Step Functions at ${endpoint}`, async () => createRealSubject(site));
}

it('refuses a workflow that has no state machine', async () => {
  const workflows = createAwsWorkflows({ site: siteAt('http://127.0.0.1:9'), arns: {} });
  await expect(workflows.start('nothing', 'x', {})).rejects.toMatchObject({ name: 'NotFound' });
});

it('cuts words that the API would refuse for their length', async () => {
  const recorder = createMemoryWorkflows();
  const { server, endpoint: url } = await serveStepFunctions(recorder);
  const workflows = createAwsWorkflows({ site: siteAt(url), arns: {} });
  expect(await workflows.fail('token', 'E'.repeat(300), 'c'.repeat(40_000))).toBe('delivered');
  expect(recorder.delivered[0]!.error).toHaveLength(256);
  server.closeAllConnections();
  server.close();
});

it('tells the name of any other refusal, without the words, which quote what was sent', async () => {
  const { site, seen, close } = await serveScript({
    status: 400,
    body: { __type: 'com.amazonaws.states#InvalidOutput', message: 'not the secret' },
  });
  const delivery = createAwsWorkflows({ site, arns: {} }).succeed('token', 'the secret');
  await expect(delivery).rejects.toMatchObject({
    name: 'InvalidOutput',
    message: 'The service answered 400 InvalidOutput.',
  });
  expect(seen).toMatchObject([{ headers: { 'x-amz-target': 'AWSStepFunctions.SendTaskSuccess' }, signed: true }]);
  await close();
});
