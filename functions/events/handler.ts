/** `events` on AWS: called with batches of the table's stream, which has the changes of nodes only (infra/feed.ts). */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

import { namespace, unreadableChanges } from '../../layers/domain/metrics.ts';
import { awsEvents } from '../../layers/platform/aws/events.ts';
import { createAwsLog } from '../../layers/platform/aws/log.ts';
import type { FeedAnswer, FeedBatch } from '../../layers/platform/feed.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;

const app = create({ events: awsEvents(env), log: createAwsLog('events') }, Config.parse(env));

const metrics = new Metrics({ namespace, serviceName: unreadableChanges.service });

/** Answers what has to come again; Lambda takes an answer of another form for the failure of the whole batch. */
export const handler = async (batch: FeedBatch): Promise<FeedAnswer> => {
  const { batchItemFailures, unreadable } = await app(batch);
  if (unreadable > 0) {
    metrics.addMetric(unreadableChanges.name, MetricUnit.Count, unreadable);
    metrics.publishStoredMetrics();
  }
  return { batchItemFailures };
};
