/** `sync` on AWS: called by a schedule, and by EventBridge when an execution ends badly. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

import { namespace, stuckNodes } from '../../layers/domain/metrics.ts';
import {
  awsChance,
  awsClock,
  awsIds,
  awsLog,
  awsObjects,
  awsTable,
  awsWorkflows,
} from '../../layers/platform/aws/platform.ts';
import { create, type Report } from './app.ts';

const { env } = process;

const app = create({
  table: awsTable(env),
  objects: awsObjects(env),
  workflows: awsWorkflows(env),
  log: awsLog('sync'),
  clock: awsClock(),
  chance: awsChance(),
  ids: awsIds(),
});

const metrics = new Metrics({ namespace, serviceName: stuckNodes.service });

/** Answers the report; the number of stuck nodes becomes a metric, also when it is 0. */
export const handler = async (event: unknown): Promise<Report> => {
  const report = await app(event);
  metrics.addMetric(stuckNodes.name, MetricUnit.Count, report.stuck);
  metrics.publishStoredMetrics();
  return report;
};
