/** The authorizer on AWS. */
import { awsParameters } from '../../layers/platform/aws/parameters.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

/** Called by API Gateway before a route that asks for it. */
export const handler = create(
  { parameters: awsParameters(process.env), clock: systemClock },
  Config.parse(process.env),
);
