/**
 * Metrics of our own, counted in log lines. A filter costs nothing and its metric only in the hours in which such a line is
 * written, so what never happens is watched for the price of one alarm, whoever writes the line.
 */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** What functions log as an error is what nobody expects (layers/platform/aws/log.ts): refused passwords, busy BMCs and wrong requests are none. */
const unexpected = FilterPattern.stringValue('$.level', '=', 'ERROR');

/** Lambda's own words for an invocation without an answer: out of time or memory, or it did not start. */
const crashes = ['Status: timeout', 'Error Type: Runtime.'];

/** Patterns of lines, by what they tell of. */
const lines = {
  unexpected,
  crash: FilterPattern.anyTerm(...crashes),
  /** The same of a function whose caller is told nothing by an error that it throws: that one is written down as well. */
  failure: FilterPattern.anyTerm(...crashes, 'Invoke Error'),
  serverError: FilterPattern.stringValue('$.status', '=', '5*'),
  timedOut: FilterPattern.stringValue('$.type', '=', 'ExecutionTimedOut'),
} as const satisfies Record<string, IFilterPattern>;

/** Where lines are looked for, and which ones. */
export type Counted = { readonly logs: ILogGroup; readonly line: keyof typeof lines };

/** All such lines in five minutes. `stackName`: two deployments in an account do not count for each other. */
export const countOf = (
  scope: Construct,
  stackName: string,
  metricName: string,
  counted: readonly Counted[],
): IMetric => {
  const metricNamespace = `Ingot/${stackName}`;
  for (const { logs: logGroup, line } of counted) {
    const id = `${logGroup.node.path.split('/').slice(1).join('-')}-${line}`;
    void new MetricFilter(scope, id, { logGroup, filterPattern: lines[line], metricNamespace, metricName });
  }
  return new Metric({ namespace: metricNamespace, metricName, period: Duration.minutes(5), statistic: 'Sum' });
};
