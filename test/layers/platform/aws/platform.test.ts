import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it } from 'vitest';

import {
  awsFunctions,
  awsObjects,
  awsOpener,
  awsTable,
  awsWorkflows,
} from '../../../../layers/platform/aws/platform.ts';
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

  it.each(['deploy=arn', 'arn:ingot-', '{verify}', 'arn:ingot-{}'])('refuse workflow ARNs %s', (text) => {
    expect(() => awsWorkflows({ WORKFLOW_ARNS: text })).toThrow('WORKFLOW_ARNS is no ARN with the names');
  });

  it('know a function by FUNCTION_<NAME> only', async () => {
    const functions = awsFunctions({ AWS_LAMBDA_FUNCTION_NAME: 'x', FUNCTION_BMC_PROXY: '' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'FunctionUnknown' });
  });

  it('make a client with the first call and keep it', async () => {
    const asked: string[] = [];
    const connections = new Set<unknown>();
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume().on('end', () => response.end());
    });
    server.on('connection', (socket) => connections.add(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const given = { ...process.env };
    Object.assign(process.env, { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
    try {
      const { port } = server.address() as AddressInfo;
      const objects = awsObjects({ BUCKET_NAME: 'bucket', INGOT_S3_ENDPOINT: `http://127.0.0.1:${port}` });
      await objects.put('a', Buffer.from('1'));
      await objects.remove('b');
      // A client of its own would have a connection of its own.
      expect([asked, connections.size]).toEqual([['PUT /bucket/a', 'DELETE /bucket/b'], 1]);
    } finally {
      process.env = given;
      server.closeAllConnections();
      server.close();
    }
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
