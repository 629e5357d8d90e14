/** The BMC proxy on AWS. */
import type { Context } from 'aws-lambda';

import { awsClock, awsLog, awsOpener, awsSealer, awsTable } from '../../layers/platform/aws/platform.ts';
import { createBmcRecords } from '../../layers/store/bmc-records.ts';
import { tlsWire } from '../../layers/redfish-client/transport.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;
const clock = awsClock();

const app = create(
  {
    records: createBmcRecords({ table: awsTable(env), clock }),
    opener: awsOpener(env),
    sealer: awsSealer(env),
    log: awsLog('bmc-proxy'),
    clock,
    wire: tlsWire,
  },
  Config.parse(env),
);

/** Called by functions/workflow. What it throws reaches the caller as a Fault of that name. */
export const handler = async (event: unknown, lambda: Context): Promise<object> =>
  app(event, { request_id: lambda.awsRequestId, remaining_ms: () => lambda.getRemainingTimeInMillis() });
