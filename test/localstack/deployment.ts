/** The whole app on LocalStack: brought there by the CDK CLI, and who may call it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { hashSync } from 'bcryptjs';

import type { Reach } from '../machine/site.ts';
import { cdk, folder } from './processes.ts';

/** Where the app is, and who may call. */
type Deployed = {
  /** Of LocalStack itself, for clients of AWS. */
  readonly aws: string;
  /** Of each API, by its name in the outputs of the stack. */
  readonly endpoints: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly user: string;
  readonly password: string;
  /** Of users_file: may do what members of a project may. */
  readonly tenant: { readonly user: string; readonly password: string };
};

/** With machines whose agents call it. */
export type Deployment = Deployed & { readonly simulated: Omit<Reach, 'call'> };

const [user, password] = ['operator', 'pä:ss word'];
const tenant = { user: 'tenant', password: 'of blue' };

const stack = 'Ingot';

/** All that differs from a deployment of the documents: the machines are on this one, and are looked at more often. */
const context = (): Readonly<Record<string, string>> => {
  const [htpasswd, users] = [join(folder, 'htpasswd'), join(folder, 'users')];
  if (!existsSync(users)) {
    // The least cost that bcrypt knows: who waits for it here are tests.
    writeFileSync(htpasswd, `${user}:${hashSync(password, 4)}\n`);
    writeFileSync(users, `${tenant.user}:${hashSync(tenant.password, 4)}:blue:member\n`);
  }
  return {
    htpasswd_file: htpasswd,
    users_file: users,
    users_path: '/ingot/users',
    bmc_networks: '127.0.0.0/8',
    agent_networks: '127.0.0.0/8',
    poll_interval_ms: '200',
  };
};

/** What the app was made into the last time: to make it takes longer than all else. */
const made = join(folder, 'cdk.out');

/** Nobody resolves the names of hosts of AWS here. */
const reachable = (aws: string, url: string): string =>
  url.replace(/^https:\/\/([a-z0-9]+)\.execute-api\.[^/]+/, `${aws}/_aws/execute-api/$1`);

/** `npx cdk bootstrap`, once an account and region. */
export const bootstrap = async (aws: string): Promise<void> => {
  await cdk(aws, ['bootstrap', 'aws://000000000000/eu-central-1'], folder);
};

/** `npx cdk deploy` with more context than usual: a first time, or over what is there. */
export const deploy = async (aws: string, more: Readonly<Record<string, string>> = {}): Promise<Deployed> => {
  const file = join(folder, 'outputs.json');
  const given = Object.entries({ ...context(), ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  await cdk(aws, ['deploy', ...given, '--output', made, '--require-approval', 'never', '--outputs-file', file]);
  const outputs = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>)[stack]!;
  const endpoints = Object.entries(outputs).filter(([name]) => name.endsWith('Endpoint'));
  return {
    aws,
    outputs,
    endpoints: Object.fromEntries(endpoints.map(([name, url]) => [name, reachable(aws, url)])),
    user,
    password,
    tenant,
  };
};

/** `npx cdk diff` after a deploy: what the same app would change, in words. */
export const difference = async (aws: string): Promise<string> => cdk(aws, ['diff', '--app', made]);

/** `npx cdk destroy`. */
export const destroy = async (aws: string): Promise<void> => {
  await cdk(aws, ['destroy', '--app', made, '--force']);
};
