/**
 * The ports on AWS, for `functions/<name>/handler.ts`: one small maker a port, so that esbuild leaves out the clients
 * a function does not use. Each is called once, at cold start, with `process.env`:
 *
 *   variable               read by                 what
 *   TABLE_NAME             awsTable                name of the table
 *   BUCKET_NAME            awsObjects              name of the bucket
 *   BUCKET_KMS_KEY_ID      awsObjects              key of the objects; absent: the bucket's own default
 *   WORKFLOW_ARNS          awsWorkflows            JSON object: workflow name to ARN of its state machine
 *   FUNCTION_<NAME>        awsFunctions            name or ARN of a function, such as FUNCTION_BMC_PROXY for bmc-proxy
 *   KMS_KEY_ID             awsSealer, awsOpener    key that seals secrets
 *   INGOT_<X>_ENDPOINT     all                     another server of the same API; X: DYNAMODB, S3, SFN, KMS, LAMBDA
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

import { Fault } from '../../domain/fault.ts';
import { systemClock } from '../clock.ts';
import { createIds } from '../ids.ts';
import type { Objects } from '../objects.ts';
import type { Clock, Functions, Ids, Opener, Sealer } from '../ports.ts';
import type { Table } from '../table.ts';
import type { Workflows } from '../workflows.ts';
import { createAwsFunctions } from './functions.ts';
import { createAwsLog } from './log.ts';
import { createAwsObjects } from './objects.ts';
import { createAwsOpener, createAwsSealer } from './secrets.ts';
import { createAwsTable } from './table.ts';
import { createAwsWorkflows } from './workflows.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const required = (env: Environment, name: string): string => {
  const value = env[name];
  if (!value) throw new Fault('Configuration', 500, `The environment variable ${name} is not set: deploy with infra/.`);
  return value;
};

const endpoint = (env: Environment, service: 'DYNAMODB' | 'S3' | 'SFN' | 'KMS' | 'LAMBDA') => {
  const value = env[`INGOT_${service}_ENDPOINT`];
  return value ? { endpoint: value } : {};
};

const arnsOf = (text: string): Record<string, string> => {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch (error) {
    throw new Fault('Configuration', 500, 'The environment variable WORKFLOW_ARNS is not a JSON object.', {
      cause: error,
    });
  }
};

const functionPrefix = 'FUNCTION_';

/** FUNCTION_BMC_PROXY names the function bmc-proxy. */
const functionsOf = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([variable, value]) =>
      value && variable.startsWith(functionPrefix)
        ? [[variable.slice(functionPrefix.length).toLowerCase().replaceAll('_', '-'), value]]
        : [],
    ),
  );

export const awsClock = (): Clock => systemClock;
export const awsIds = (): Ids => createIds(systemClock);
/** `service` is the name of the function. */
export const awsLog = createAwsLog;

/** Throws Configuration (500), as all of them, when a variable is missing. */
export const awsTable = (env: Environment): Table =>
  createAwsTable({
    client: DynamoDBDocumentClient.from(new DynamoDBClient(endpoint(env, 'DYNAMODB'))),
    name: required(env, 'TABLE_NAME'),
    clock: systemClock,
  });

export const awsObjects = (env: Environment): Objects => {
  const at = endpoint(env, 'S3');
  const keyId = env['BUCKET_KMS_KEY_ID'];
  return createAwsObjects({
    client: new S3Client({
      ...at,
      forcePathStyle: 'endpoint' in at,
      // A checksum in a link to upload would be that of an empty body (the SDK's default).
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    bucket: required(env, 'BUCKET_NAME'),
    ...(keyId && { keyId }),
  });
};

export const awsWorkflows = (env: Environment): Workflows =>
  createAwsWorkflows({ client: new SFNClient(endpoint(env, 'SFN')), arns: arnsOf(required(env, 'WORKFLOW_ARNS')) });

export const awsFunctions = (env: Environment): Functions =>
  createAwsFunctions({
    // The SDK would invoke a slow function again; a phase that got no answer is repeated by the workflow itself.
    client: new LambdaClient({ ...endpoint(env, 'LAMBDA'), maxAttempts: 1 }),
    functions: functionsOf(env),
  });

const keyed = (env: Environment) => ({
  client: new KMSClient(endpoint(env, 'KMS')),
  keyId: required(env, 'KMS_KEY_ID'),
});

export const awsSealer = (env: Environment): Sealer => createAwsSealer(keyed(env));
export const awsOpener = (env: Environment): Opener => createAwsOpener(keyed(env));
