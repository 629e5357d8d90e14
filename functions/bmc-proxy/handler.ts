/** The BMC proxy on AWS. */
import { toInvoked } from '../../layers/platform/aws/invoked.ts';
import { awsClock, awsLog, awsOpener, awsSealer, awsTable } from '../../layers/platform/aws/platform.ts';
import { createBmcRecords } from '../../layers/store/bmc-records.ts';
import { tlsWire } from '../../layers/redfish-client/transport.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;
const clock = awsClock();
const log = awsLog('bmc-proxy');

const app = create(
  {
    records: createBmcRecords({ table: awsTable(env), clock }),
    opener: awsOpener(env),
    sealer: awsSealer(env),
    log,
    clock,
    wire: tlsWire,
  },
  Config.parse(env),
);

/** Called by functions/workflow. What it throws reaches the caller as a Fault of that name. */
export const handler = toInvoked(app, log);
