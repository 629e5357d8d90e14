/** The builder of boot images on AWS. */
import type { Context } from 'aws-lambda';

import { awsClock, awsLog, awsObjects } from '../../layers/platform/aws/platform.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;

const app = create({ objects: awsObjects(env), clock: awsClock(), log: awsLog('boot-image') }, Config.parse(env));

/** Called by functions/workflow. What it throws reaches the caller as a Fault of that name. */
export const handler = async (event: unknown, lambda: Context): Promise<object> =>
  app(event, { request_id: lambda.awsRequestId, remaining_ms: () => lambda.getRemainingTimeInMillis() });
