/**
 * The platform on AWS, for `functions/<name>/handler.ts`: one small maker a part, so that esbuild leaves out the clients
 * a function does not use. Each is called once, at cold start, with `process.env`:
 *
 *   variable               read by                 what
 *   TABLE_NAME             awsTable                name of the table
 *   BUCKET_NAME            awsObjects              name of the bucket
 *   BUCKET_KMS_KEY_ID      awsObjects              key of the objects; absent: the bucket's own default
 *   WORKFLOW_ARNS          awsWorkflows            ARNs of state machines: what all begin with, then their workflows {a,b}
 *   FUNCTION_<NAME>        awsFunctions            name or ARN of a function, such as FUNCTION_BMC_PROXY for bmc-proxy
 *   KMS_KEY_ID             awsSealer, awsOpener    key that seals secrets
 *   INGOT_<X>_ENDPOINT     all                     another server of the same API; X: DYNAMODB, S3, SFN, KMS, LAMBDA;
 *                                                  without it that of AWS_ENDPOINT_URL_<X> or AWS_ENDPOINT_URL
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

import { Fault } from '../../domain/fault.ts';
import { systemChance } from '../chance.ts';
import { systemClock } from '../clock.ts';
import { createIds } from '../ids.ts';
import type { Objects } from '../objects.ts';
import type { Chance, Clock, Functions, Ids, Opener, Sealer } from '../platform.ts';
import type { Table } from '../table.ts';
import type { Workflows } from '../workflows.ts';
import { settingsOf, siteOf } from './client.ts';
import { createAwsLog } from './log.ts';
import { createAwsTable } from './table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const required = (env: Environment, name: string): string => {
  const value = env[name];
  if (!value) throw new Fault('Configuration', 500, `The environment variable ${name} is not set: deploy with infra/.`);
  return value;
};

/** `arn:...:stateMachine:ingot-{verify,clean}`: the ARN of each workflow, whose name ends it. */
const arnsOf = (text: string): Record<string, string> => {
  const [, start, names] = /^([^{}]+)\{([^{}]+)\}$/.exec(text) ?? [];
  if (start !== undefined && names !== undefined) {
    return Object.fromEntries(names.split(',').map((name) => [name, start + name]));
  }
  const wrong = 'The environment variable WORKFLOW_ARNS is no ARN with the names of workflows in braces.';
  throw new Fault('Configuration', 500, wrong);
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

type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * A part whose client is loaded and made by the first call, once a container: most requests need the table alone, and
 * the other clients are 200 KB and a third of a cold start. esbuild puts what `import()` names into files of their own
 * (infra/bundling.ts). What is missing in the environment is said at the start all the same.
 */
const lazily = <Part extends object>(methods: Record<keyof Part & string, true>, make: () => Promise<Part>): Part => {
  let part: Promise<Part> | undefined;
  const forward =
    (name: string): Method =>
    async (...args) => {
      part ??= make();
      return ((await part) as Record<string, Method>)[name]!(...args);
    };
  return Object.fromEntries(Object.keys(methods).map((name) => [name, forward(name)])) as Part;
};

export const awsClock = (): Clock => systemClock;
export const awsChance = (): Chance => systemChance;
export const awsIds = (): Ids => createIds(systemClock);
/** `service` is the name of the function. */
export const awsLog = createAwsLog;

/** Throws Configuration (500), as all of them, when a variable is missing. */
export const awsTable = (env: Environment): Table =>
  createAwsTable({
    client: DynamoDBDocumentClient.from(new DynamoDBClient(settingsOf(siteOf(env, 'DYNAMODB')))),
    name: required(env, 'TABLE_NAME'),
    clock: systemClock,
    chance: systemChance,
  });

export const awsObjects = (env: Environment): Objects => {
  const site = siteOf(env, 'S3');
  const bucket = required(env, 'BUCKET_NAME');
  const keyId = env['BUCKET_KMS_KEY_ID'];
  const methods = {
    put: true,
    assemble: true,
    get: true,
    size: true,
    list: true,
    remove: true,
    link: true,
    uploadLink: true,
  } as const;
  return lazily<Objects>(methods, async () => {
    const { createAwsObjects } = await import('./objects.ts');
    return createAwsObjects({ site, bucket, ...(keyId && { keyId }) });
  });
};

export const awsWorkflows = (env: Environment): Workflows => {
  const arns = arnsOf(required(env, 'WORKFLOW_ARNS'));
  const sending = { start: true, succeed: true, fail: true, heartbeat: true, stop: true } as const;
  return lazily<Workflows>({ ...sending, describe: true, history: true }, async () => {
    const { createAwsWorkflows } = await import('./workflows.ts');
    return createAwsWorkflows({ site: siteOf(env, 'SFN'), arns });
  });
};

export const awsFunctions = (env: Environment): Functions => {
  const functions = functionsOf(env);
  return lazily<Functions>({ invoke: true }, async () => {
    const { createAwsFunctions } = await import('./functions.ts');
    return createAwsFunctions({ site: siteOf(env, 'LAMBDA'), functions });
  });
};

export const awsSealer = (env: Environment): Sealer => {
  const keyId = required(env, 'KMS_KEY_ID');
  return lazily<Sealer>({ seal: true }, async () => {
    const { createAwsSealer } = await import('./secrets.ts');
    return createAwsSealer({ site: siteOf(env, 'KMS'), keyId });
  });
};

export const awsOpener = (env: Environment): Opener => {
  const keyId = required(env, 'KMS_KEY_ID');
  return lazily<Opener>({ open: true }, async () => {
    const { createAwsOpener } = await import('./secrets.ts');
    return createAwsOpener({ site: siteOf(env, 'KMS'), keyId });
  });
};
