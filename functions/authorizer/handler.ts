/** The authorizer on AWS. */
import { create } from './app.ts';
import { Config } from './config.ts';

/** Called by API Gateway before a route that asks for it. */
export const handler = create({}, Config.parse(process.env));
