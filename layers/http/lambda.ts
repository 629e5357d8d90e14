/** An API as Lambda calls it. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';

import type { Serve } from './pipeline.ts';

/** The handler of a function. Every line that is logged while a request is served carries its id. */
export const toHandler = (app: Serve, logger: Logger) =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(injectLambdaContext(logger))
    .handler(async (event, lambda) =>
      app(event, {
        request_id: event.requestContext.requestId,
        remaining_ms: () => lambda.getRemainingTimeInMillis(),
      }),
    );
