/** The phase runner on AWS. */
import { awsApis } from '../../layers/platform/aws/apis.ts';
import { toInvoked } from '../../layers/platform/aws/invoked.ts';
import {
  awsChance,
  awsClock,
  awsFunctions,
  awsIds,
  awsLog,
  awsObjects,
  awsSealer,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;
const log = awsLog('workflow');

const app = create(
  {
    table: awsTable(env),
    objects: awsObjects(env),
    workflows: awsWorkflows(env),
    functions: awsFunctions(env),
    sealer: awsSealer(env),
    apis: awsApis(env, log),
    log,
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

/** Called by Step Functions. What it throws becomes the ASL error of that name. */
export const handler = toInvoked(app, log);
