/** Metrics, as lines of the log that CloudWatch reads. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

import { namespace, stuck } from '../../domain/metrics.ts';

/** Publishes how much a function that looks after runs could not help, also if that is nothing. */
export const publishStuck = (service: keyof typeof stuck, count: number): void => {
  const metrics = new Metrics({ namespace, serviceName: service });
  metrics.addMetric(stuck[service].name, MetricUnit.Count, count);
  metrics.publishStoredMetrics();
};
