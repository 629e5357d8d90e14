/** Metrics, as lines of the log that CloudWatch reads. */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

import { namespace } from '../../domain/metrics.ts';

/** Publishes a count, also if it is 0. */
export const publishCount = (
  { name, service }: { readonly name: string; readonly service: string },
  count: number,
): void => {
  const metrics = new Metrics({ namespace, serviceName: service });
  metrics.addMetric(name, MetricUnit.Count, count);
  metrics.publishStoredMetrics();
};
