/** Who asks the deployed APIs, and who looks into the emulated AWS behind them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SFNClient } from '@aws-sdk/client-sfn';

import { type Client, clientOf } from '../machine/client.ts';
import { createOperator, type Operator } from '../machine/site.ts';
import type { Deployment } from './deployment.ts';
import { folder } from './processes.ts';

/** The headers by which somebody proves who he is. */
export const proofOf = (user: string, password: string): Readonly<Record<string, string>> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** The operator, at the Bare Metal API. */
export const operatorOf = ({ endpoints, user, password }: Deployment): Client =>
  clientOf(endpoints['Endpoint']!, '1.115', proofOf(user, password));

/** The executions of the deployment. */
export const executionsOf = ({ aws }: Deployment): SFNClient =>
  new SFNClient({
    endpoint: aws,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

type Event = { readonly source: string; readonly detail: Readonly<Record<string, unknown>> };

/** The events that EventBridge called a function for until now; the name of the function has `part` in it. */
export const eventsFor = (part: string): Event[] => {
  const logs = readdirSync(join(folder, 'logs')).filter((name) => name.includes(part));
  const lines = logs.flatMap((name) => readFileSync(join(folder, 'logs', name), 'utf8').split('\n'));
  const mark = 'EVENT ';
  return lines.filter((line) => line.startsWith(mark)).map((line) => JSON.parse(line.slice(mark.length)) as Event);
};

/** The operator with the simulated machines, of which each story takes its own. */
export const siteOf = (deployment: Deployment): Operator =>
  createOperator({ ...deployment.simulated, call: operatorOf(deployment).ask });
