import { describe, expect, it } from 'vitest';

import { awsFunctions, awsObjects, awsOpener, awsTable, awsWorkflows } from '../../../../layers/store/aws/ports.ts';
import { startDynamo } from './dynamodb.ts';

describe('the ports on AWS', () => {
  it.each([
    ['TABLE_NAME', awsTable],
    ['BUCKET_NAME', awsObjects],
    ['KMS_KEY_ID', awsOpener],
    ['WORKFLOW_ARNS', awsWorkflows],
  ])('name the variable %s when it is missing', (name, make: (env: Record<string, string>) => unknown) => {
    expect(() => make({})).toThrow(`The environment variable ${name} is not set`);
  });

  it('refuse workflow ARNs that are no JSON', () => {
    expect(() => awsWorkflows({ WORKFLOW_ARNS: 'deploy=arn' })).toThrow('WORKFLOW_ARNS is not a JSON object');
  });

  it('know a function by FUNCTION_<NAME> only', async () => {
    const functions = awsFunctions({ AWS_LAMBDA_FUNCTION_NAME: 'x', FUNCTION_BMC_PROXY: '' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'FunctionUnknown' });
  });

  it('reach another endpoint by variable', async () => {
    const { endpoint, name, stop } = await startDynamo();
    const given = { ...process.env };
    Object.assign(process.env, { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
    try {
      const table = awsTable({ TABLE_NAME: name, INGOT_DYNAMODB_ENDPOINT: endpoint });
      await table.write([{ put: { pk: 'a', sk: 'b' } }]);
      expect(await table.get({ pk: 'a', sk: 'b' })).toEqual({ pk: 'a', sk: 'b' });
    } finally {
      process.env = given;
      await stop();
    }
  });
});
