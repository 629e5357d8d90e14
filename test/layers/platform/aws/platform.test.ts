import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { awsEvents } from '../../../../layers/platform/aws/events.ts';
import { awsParameters } from '../../../../layers/platform/aws/parameters.ts';
import {
  awsFunctions,
  awsObjects,
  awsOpener,
  awsSealer,
  awsTable,
  awsWorkflows,
} from '../../../../layers/platform/aws/platform.ts';
import type { PublishedEvent } from '../../../../layers/platform/events.ts';
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

describe('the server that AWS_ENDPOINT_URL names', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const target = request.headers['x-amz-target'];
    asked.push(
      target === undefined ? `${request.method} ${request.url?.split('?')[0]}` : String(target).split('.')[1]!,
    );
    request.resume().on('end', () => response.setHeader('Content-Type', 'application/json').end('{}'));
  });
  let at = '';

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // By a name: S3 would be looked for at a host of the bucket.
    at = `http://localhost:${(server.address() as AddressInfo).port}`;
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'x');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });

  const secret = { node: 'n', name: 's' };
  const event: PublishedEvent = { id: 'i', key: 'n', type: 't', time: '2026-11-22T00:00:00Z', detail: {} };
  const calls: Record<string, (env: Record<string, string>) => Promise<unknown>> = {
    GetItem: async (env) => awsTable(env).get({ pk: 'a', sk: 'b' }),
    StartExecution: async (env) => awsWorkflows(env).start('verify', 'name', {}),
    Encrypt: async (env) => awsSealer(env).seal('plain', secret),
    Decrypt: async (env) => awsOpener(env).open('c2VhbGVk', secret),
    PutEvents: async (env) => awsEvents(env).publish([event]),
    GetParameter: async (env) => awsParameters(env).read('/name'),
    'PUT /bucket/key': async (env) => awsObjects(env).put('key', Buffer.from('1')),
    'POST /2015-03-31/functions/proxy/invocations': async (env) => awsFunctions(env).invoke('bmc-proxy', {}),
  };

  it.each(Object.keys(calls))('is asked for %s', async (request) => {
    asked.length = 0;
    const env = {
      AWS_ENDPOINT_URL: at,
      TABLE_NAME: 'table',
      WORKFLOW_ARNS: 'arn:aws:states:eu-central-1:000000000000:stateMachine:ingot-{verify}',
      KMS_KEY_ID: 'key',
      EVENT_BUS_NAME: 'bus',
      BUCKET_NAME: 'bucket',
      FUNCTION_BMC_PROXY: 'proxy',
    };
    // What it answers is nothing that a service says.
    await calls[request]!(env).catch(() => undefined);
    expect(asked).toContain(request);
  });

  it('is not asked for what has a server of its own', async () => {
    asked.length = 0;
    const env = {
      AWS_ENDPOINT_URL: 'http://localhost:1',
      AWS_ENDPOINT_URL_S3: 'http://localhost:2',
      BUCKET_NAME: 'bucket',
    };
    await awsObjects({ ...env, INGOT_S3_ENDPOINT: at }).put('key', Buffer.from('1'));
    await awsObjects({ ...env, AWS_ENDPOINT_URL_S3: at }).put('key', Buffer.from('1'));
    expect(asked).toEqual(['PUT /bucket/key', 'PUT /bucket/key']);
  });
});
