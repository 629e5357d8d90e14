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
import { stuckServers } from '../../layers/domain/metrics.ts';
import { publishCount } from '../../layers/platform/aws/metrics.ts';
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

/** Answers the report; the number of servers that are stuck becomes a metric, also when it is 0. */
export const handler = async (event: unknown): Promise<Report> => {
  const report = await app(event);
  publishCount(stuckServers, report.stuck);
  return report;
};
