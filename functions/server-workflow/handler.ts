/** The phases of servers' runs on AWS. */
import { awsApis } from '../../layers/platform/aws/apis.ts';
import { toInvoked } from '../../layers/platform/aws/invoked.ts';
import {
  awsChance,
  awsClock,
  awsIds,
  awsLog,
  awsOpener,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;
const log = awsLog('server-workflow');

const app = create(
  {
    table: awsTable(env),
    workflows: awsWorkflows(env),
    apis: awsApis(env, log),
    opener: awsOpener(env),
    log,
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

/** Called by Step Functions and by EventBridge. What it throws becomes the ASL error of that name. */
export const handler = toInvoked(app, log);
