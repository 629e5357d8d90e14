/** The authorizer on AWS. */
import { create } from './app.ts';
import { Config } from './config.ts';

export const handler = create({}, Config.parse(process.env));
