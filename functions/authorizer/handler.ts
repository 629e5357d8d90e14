/** The authorizer on AWS. */
import { awsClock, awsParameters } from '../../layers/store/aws/ports.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

/** Called by API Gateway before a route that asks for it. */
export const handler = create({ parameters: awsParameters(process.env), clock: awsClock() }, Config.parse(process.env));
