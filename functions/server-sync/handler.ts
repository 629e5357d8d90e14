/** `server-sync` on AWS: called by a schedule, and by EventBridge when an execution ends badly. */
import {
  awsChance,
  awsClock,
  awsIds,
  awsLog,
  awsObjects,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import type { Report } from '../../workflows/run/sync.ts';
import { create } from './app.ts';

const { env } = process;

const app = create({
  table: awsTable(env),
  objects: awsObjects(env),
  workflows: awsWorkflows(env),
  log: awsLog('server-sync'),
  clock: awsClock(),
  chance: awsChance(),
  ids: awsIds(),
});

/** Answers what was done. What nothing could be done about is an error in the log, by which people are woken. */
export const handler = async (event: unknown): Promise<Report> => app(event);
