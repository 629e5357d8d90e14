/** The Network API on AWS. */
import { toHandler } from '../../layers/http/lambda.ts';
import { createAwsLog, createLogger } from '../../layers/platform/aws/log.ts';
import { awsChance, awsClock, awsIds, awsTable, awsWorkflows } from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const service = 'network-api';
const logger = createLogger(service);
const { env } = process;

const app = create(
  {
    table: awsTable(env),
    workflows: awsWorkflows(env),
    log: createAwsLog(service, logger),
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

export const handler = toHandler(app, logger);
