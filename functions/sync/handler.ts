/** `sync` on AWS: called by a schedule, and by EventBridge when an execution ends badly. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

import { awsClock, awsIds, awsLog, awsObjects, awsTable, awsWorkflows } from '../../layers/store/aws/ports.ts';
import { create, type Report } from './app.ts';

const { env } = process;

const app = create({
  table: awsTable(env),
  objects: awsObjects(env),
  workflows: awsWorkflows(env),
  log: awsLog('sync'),
  clock: awsClock(),
  ids: awsIds(),
});

// The alarm of infra/alarms.ts names the metric the same way.
const metrics = new Metrics({ namespace: 'Ingot', serviceName: 'sync' });

export const handler = async (event: unknown): Promise<Report> => {
  const report = await app(event);
  metrics.addMetric('StuckNodes', MetricUnit.Count, report.stuck);
  metrics.publishStoredMetrics();
  return report;
};
