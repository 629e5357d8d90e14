/** The Compute API on AWS. */
import { toHandler } from '../../layers/http/lambda.ts';
import { createAwsLog, createLogger } from '../../layers/platform/aws/log.ts';
import { awsApis } from '../../layers/platform/aws/apis.ts';
import { awsChance, awsClock, awsIds, awsTable } from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const service = 'compute-api';
const logger = createLogger(service);
const { env } = process;

const log = createAwsLog(service, logger);

const app = create(
  {
    table: awsTable(env),
    apis: awsApis(env, log),
    log,
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

export const handler = toHandler(app, logger);
