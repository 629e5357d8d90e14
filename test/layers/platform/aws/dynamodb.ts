/**
 * A DynamoDB to test against: the one at INGOT_DYNAMODB_ENDPOINT, else an in-memory dynoxide of our own. Neither there:
 * the tests fail and say so, they are never skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const binary = join(import.meta.dirname, '../../../../node_modules/@dynoxide/linux-x64/dynoxide');

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const answers = async (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );

/** Somebody else may take the free port first. */
const maxTries = 5;

const startDynoxide = async (attempt = 1): Promise<{ endpoint: string; child: ChildProcess }> => {
  if (!existsSync(binary)) {
    throw new Error(`There is no ${binary} on this platform: set INGOT_DYNAMODB_ENDPOINT to a DynamoDB for this test.`);
  }
  const port = await freePort();
  const child = spawn(binary, ['serve', '--port', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null && attempt < maxTries) return startDynoxide(attempt + 1);
    if (child.exitCode !== null) throw new Error(`dynoxide ended with ${child.exitCode} before it listened.`);
    await wait(10);
  }
  return { endpoint, child };
};

const createTable = async (client: DynamoDBClient, name: string, indexes: readonly string[]): Promise<void> => {
  const hash = (attribute: string) => ({ AttributeName: attribute, KeyType: 'HASH' as const });
  const range = (attribute: string) => ({ AttributeName: attribute, KeyType: 'RANGE' as const });
  const attributes = ['pk', 'sk', ...(indexes.length > 0 ? ['position'] : []), ...indexes];
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map((attribute) => ({ AttributeName: attribute, AttributeType: 'S' })),
      KeySchema: [hash('pk'), range('sk')],
      ...(indexes.length > 0 && {
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index,
          KeySchema: [hash(index), range('position')],
          Projection: { ProjectionType: 'ALL' as const },
        })),
      }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
};

/** An empty table, with such indexes as the first version had, and how to put it away. */
export const startDynamo = async (indexes: readonly string[] = []) => {
  const given = process.env['INGOT_DYNAMODB_ENDPOINT'];
  const { endpoint, child } = given ? { endpoint: given } : await startDynoxide();
  const client = new DynamoDBClient({
    endpoint,
    region: process.env['AWS_REGION'] ?? 'eu-central-1',
    ...(!process.env['AWS_ACCESS_KEY_ID'] && { credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }),
  });
  const name = `ingot-test-${randomUUID()}`;
  await createTable(client, name, indexes);
  return {
    client: DynamoDBDocumentClient.from(client),
    name,
    endpoint,
    stop: async () => {
      client.destroy();
      if (child?.exitCode === null) {
        child.kill();
        await once(child, 'exit');
      }
    },
  };
};
