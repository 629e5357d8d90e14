/** What wakes people, and what does not. That errors of a function are counted: test/layers/platform/aws/log.test.ts. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { apis, functions, tables, workflows } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';

type Alarm = Readonly<{
  AlarmDescription: string;
  Namespace?: string;
  MetricName?: string;
  Dimensions?: { Name: string; Value: unknown }[];
  Metrics?: { Expression?: string; Id: string; MetricStat?: { Metric: { MetricName: string; Dimensions: unknown } } }[];
  Period?: number;
  Threshold: number;
  TreatMissingData: string;
  AlarmActions?: unknown[];
}>;

const topic = 'arn:aws:sns:eu-central-1:111122223333:people';
const app = new App({ context: { 'aws:cdk:bundling-stacks': [], alarm_topic_arn: topic } });
const template = Template.fromStack(new IngotStack(app, 'Ingot'));
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties as Alarm,
);
const of = (metric: string) => alarms.filter(({ MetricName }) => MetricName === metric);
/** The values of a dimension, of the alarms on a metric. */
const named = (metric: string, dimension: string) =>
  of(metric).map(({ Dimensions = [] }) => Dimensions.find(({ Name }) => Name === dimension)?.Value);
const names = Object.keys(functions);
/** Who tells its caller what is wrong by an error. */
const throwing = ['authorizer', 'bmc-proxy', 'server-workflow', 'workflow'];

describe('people are woken', () => {
  it('by an error that a function did not expect', () => {
    expect(named('UnexpectedErrors', 'service')).toEqual(names);
    for (const alarm of of('UnexpectedErrors')) {
      expect(alarm).toMatchObject({ Namespace: 'Ingot', Threshold: 0, TreatMissingData: 'notBreaching' });
    }
  });

  it('by a function that ends without an answer, in time limits and crashes alone where errors are answers', () => {
    expect(of('Errors')).toHaveLength(names.length - throwing.length);
    const filters = Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
      ({ Properties }) => Properties as { FilterPattern: string; MetricTransformations: { MetricName: string }[] },
    );
    expect(filters.map(({ MetricTransformations: [to] }) => to!.MetricName).toSorted()).toEqual(
      throwing.map((name) => `Crashes-${name}`),
    );
    for (const {
      FilterPattern,
      MetricTransformations: [to],
    } of filters) {
      expect(FilterPattern).toBe('?"Status: timeout" ?"Error Type: Runtime."');
      expect(of(to!.MetricName)).toMatchObject([{ Namespace: 'Ingot', Threshold: 0 }]);
    }
  });

  it('by what is throttled, functions and tables', () => {
    expect(of('Throttles')).toHaveLength(names.length);
    const read = alarms.flatMap(({ Metrics = [] }) => Metrics).map(({ MetricStat }) => MetricStat?.Metric.MetricName);
    for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
      expect(read.filter((one) => one === metric)).toHaveLength(Object.keys(tables).length);
    }
  });

  it('by an API that answers with 5xx, unless it is one request', () => {
    const failing = alarms.filter(({ Metrics }) =>
      Metrics?.some(({ MetricStat }) => MetricStat?.Metric.MetricName === '5XXError'),
    );
    expect(failing).toHaveLength(Object.keys(apis).length);
    for (const { Metrics, Threshold } of failing) {
      expect(Threshold).toBe(5);
      expect(Metrics!.find(({ Expression }) => Expression)!.Expression).toBe('IF(bad > 5, 100 * bad / asked, 0)');
    }
  });

  it('by each rule that could not call its function, those of the bus too', () => {
    const rules = Object.keys(template.findResources('AWS::Events::Rule'));
    const watched = named('FailedInvocations', 'RuleName').map((value) => JSON.stringify(value));
    expect(watched).toHaveLength(rules.length);
    for (const rule of rules) expect(watched.some((value) => value.includes(`"${rule}"`))).toBe(true);
    expect(named('FailedInvocations', 'EventBusName').filter(Boolean)).toHaveLength(1);
  });

  it.each([
    ['StuckNodes', 'sync'],
    ['StuckServers', 'server-sync'],
  ])('by %s, and by %s not running at all', (metric, service) => {
    expect(of(metric)).toMatchObject([
      {
        Namespace: 'Ingot',
        Dimensions: [{ Name: 'service', Value: service }],
        TreatMissingData: 'breaching',
        Period: 900,
      },
    ]);
  });

  it('by runs that end by their time limit', () => {
    expect(of('ExecutionsTimedOut')).toHaveLength(Object.keys(workflows).length);
  });

  it('at the topic that was named, each time', () => {
    for (const { AlarmDescription, AlarmActions } of alarms) {
      expect([AlarmDescription, AlarmActions]).toEqual([AlarmDescription, [topic]]);
    }
  });
});

it('nobody is woken by a run that fails, which is told by its node, nor by errors that are answers', () => {
  expect(of('ExecutionsFailed')).toEqual([]);
  const counted = named('Errors', 'FunctionName').map((value) => JSON.stringify(value));
  for (const name of throwing) {
    expect(counted.filter((value) => value.includes(`"${name.replaceAll('-', '')}Function`))).toEqual([]);
  }
});
