/** The ramdisk API on AWS. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';

import { createAwsLog, createLogger } from '../../layers/platform/aws/log.ts';
import {
  awsChance,
  awsClock,
  awsIds,
  awsObjects,
  awsSealer,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const service = 'ramdisk-api';
const logger = createLogger(service);
const { env } = process;

const app = create(
  {
    table: awsTable(env),
    objects: awsObjects(env),
    workflows: awsWorkflows(env),
    sealer: awsSealer(env),
    log: createAwsLog(service, logger),
    clock: awsClock(),
    chance: awsChance(),
    ids: awsIds(),
  },
  Config.parse(env),
);

/** Every line that is logged while a request is served carries its id. */
export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(injectLambdaContext(logger))
  .handler(async (event, lambda) =>
    app(event, {
      request_id: event.requestContext.requestId,
      remaining_ms: () => lambda.getRemainingTimeInMillis(),
    }),
  );
