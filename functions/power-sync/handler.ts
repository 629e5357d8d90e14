/** `power-sync` on AWS: called by a schedule. */
import type { Context } from 'aws-lambda';

import {
  awsChance,
  awsClock,
  awsFunctions,
  awsIds,
  awsLog,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import { create, type Report } from './app.ts';
import { Config } from './config.ts';

const { env } = process;

const app = create(
  {
    table: awsTable(env),
    functions: awsFunctions(env),
    workflows: awsWorkflows(env),
    log: awsLog('power-sync'),
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

/** Answers what was done. */
export const handler = async (event: unknown, lambda: Context): Promise<Report> =>
  app(event, { request_id: lambda.awsRequestId, remaining_ms: () => lambda.getRemainingTimeInMillis() });
