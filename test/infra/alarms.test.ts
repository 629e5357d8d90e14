/** What wakes people, what does not, and what that costs. What is an error in the log: test/layers/platform/aws/log.test.ts. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { apis, functions, keeperNames, tables, workflows } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';

type Stat = { Metric: { MetricName: string; Dimensions: { Name: string; Value: unknown }[] } };
type Alarm = Readonly<{
  AlarmDescription: string;
  Namespace?: string;
  MetricName?: string;
  Dimensions?: { Name: string; Value: unknown }[];
  Metrics?: { Expression?: string; Id: string; MetricStat?: Stat }[];
  ComparisonOperator: string;
  Period?: number;
  Threshold: number;
  TreatMissingData: string;
  AlarmActions?: unknown[];
}>;

const topic = 'arn:aws:sns:eu-central-1:111122223333:people';
const app = new App({ context: { 'aws:cdk:bundling-stacks': [], alarm_topic_arn: topic, stack_name: 'metal' } });
const template = Template.fromStack(new IngotStack(app, 'Ingot'));
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties as Alarm,
);
const of = (metric: string) => alarms.filter(({ MetricName }) => MetricName === metric);
/** The metrics that alarms add up, as text. */
const summed = (metric: string): string[] =>
  alarms
    .flatMap(({ Metrics = [] }) => Metrics)
    .flatMap(({ MetricStat }) => (MetricStat?.Metric.MetricName === metric ? JSON.stringify(MetricStat) : []));

type Filter = {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string; MetricNamespace: string; MetricValue: string; DefaultValue?: number }[];
};
const filters = Object.values(template.findResources('AWS::Logs::MetricFilter')).map(
  ({ Properties }) => Properties as Filter,
);
/** The log groups in which lines are counted for a metric, with the patterns of those lines. */
const countedFor = (metric: string): string[] =>
  filters
    .filter(({ MetricTransformations: [to] }) => to!.MetricName === metric)
    .map(({ LogGroupName: { Ref }, FilterPattern }) => `${Ref.replace(/[0-9A-F]{8}$/, '')} ${FilterPattern}`)
    .toSorted();

const facing = ['authorizer', 'baremetal-api', 'compute-api', 'image-api', 'network-api', 'ramdisk-api'];
const others = Object.keys(functions).filter((name) => !facing.includes(name));
/** Who tells its caller what is wrong by an error. */
const throwing = ['authorizer', 'bmc-proxy', 'boot-image', 'server-workflow', 'workflow'];
const crash = '?"Status: timeout" ?"Error Type: Runtime."';
const linesOf = (names: readonly string[]) =>
  names
    .flatMap((name) => {
      const logs = `${name.replaceAll('-', '')}Logs`;
      return [
        `${logs} { $.level = "ERROR" }`,
        `${logs} ${throwing.includes(name) ? crash : `${crash} ?"Invoke Error"`}`,
      ];
    })
    .toSorted();

describe('people are woken', () => {
  it.each([
    ['ApiErrors', facing],
    ['Errors', others],
  ])(
    'by an error that a function did not expect, or its end without an answer, and not where errors are answers: %s',
    (metric, names) => {
      expect(countedFor(metric)).toEqual(linesOf(names));
      expect(of(metric)).toMatchObject([{ Threshold: 0, TreatMissingData: 'notBreaching', Period: 300 }]);
    },
  );

  it('by APIs that answer with 5xx, unless it is a few requests', () => {
    expect(countedFor('ServerErrors')).toHaveLength(Object.keys(apis).length);
    for (const line of countedFor('ServerErrors')) expect(line).toMatch(/Api\w*AccessLog\w* \{ \$\.status = "5\*" \}$/);
    expect(of('ServerErrors')).toMatchObject([{ Threshold: 5, TreatMissingData: 'notBreaching' }]);
    for (const { Properties } of Object.values(template.findResources('AWS::ApiGateway::Stage'))) {
      const { Format } = (Properties as { AccessLogSetting: { Format: string } }).AccessLogSetting;
      expect(JSON.parse(Format)).toMatchObject({ status: '$context.status' });
    }
  });

  it('by runs that end by their time limit', () => {
    const names = Object.keys(workflows).map((name) => `Workflows${name.replaceAll('-', '')}logs`);
    expect(countedFor('TimedOut')).toEqual(names.toSorted().map((name) => `${name} { $.type = "ExecutionTimedOut" }`));
    expect(of('TimedOut')).toMatchObject([{ Threshold: 0 }]);
  });

  it('by what is throttled: functions that are no API and somebody waits for, those with a reserve, and tables', () => {
    const names = ['authorizer', 'ramdisk-api', 'workflow', 'server-workflow', 'bmc-proxy', 'boot-image'];
    const throttled = summed('Throttles');
    expect(throttled).toHaveLength(names.length);
    for (const name of names) {
      expect(throttled.filter((one) => one.includes(`"${name.replaceAll('-', '')}Function`))).toHaveLength(1);
    }
    for (const metric of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
      expect(summed(metric)).toHaveLength(Object.keys(tables).length);
    }
    for (const { Metrics } of alarms.filter((one) => one.Metrics)) {
      const ids = Metrics!.flatMap(({ Id, Expression }) => (Expression ? [] : `FILL(${Id}, 0)`));
      expect(Metrics!.find(({ Expression }) => Expression)!.Expression).toBe(ids.join(' + '));
    }
  });

  it('by each rule that could not call its function: what it could not hand over is in the queue', () => {
    const queues = Object.keys(template.findResources('AWS::SQS::Queue'));
    expect(queues).toHaveLength(1);
    const lost = { 'Fn::GetAtt': [queues[0], 'Arn'] };
    const rules = Object.values(template.findResources('AWS::Events::Rule'));
    for (const { Properties } of rules) {
      for (const target of (Properties as { Targets: unknown[] }).Targets) {
        expect(target).toMatchObject({ DeadLetterConfig: { Arn: lost } });
      }
    }
    expect(of('ApproximateNumberOfMessagesVisible')).toMatchObject([
      { Threshold: 0, Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queues[0], 'QueueName'] } }] },
    ]);
  });

  it('by a keeper that does not run at all', () => {
    const silent = of('Invocations');
    expect(silent).toHaveLength(keeperNames.length);
    for (const alarm of silent) {
      expect(alarm).toMatchObject({
        TreatMissingData: 'breaching',
        Period: 900,
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
      });
    }
  });

  it('at the topic that was named, each time', () => {
    for (const { AlarmDescription, AlarmActions } of alarms) {
      expect([AlarmDescription, AlarmActions]).toEqual([AlarmDescription, [topic]]);
    }
  });
});

it('nobody is woken by a run that fails, which is told by its node, nor by errors that are answers', () => {
  for (const metric of ['ExecutionsFailed', 'Errors'] as const) {
    expect(of(metric).filter(({ Namespace }) => Namespace !== 'Ingot/metal')).toEqual([]);
  }
});

it('another deployment in the account does not ring these alarms, and what does not happen costs nothing', () => {
  const namespaces = filters.map(({ MetricTransformations: [to] }) => to!.MetricNamespace);
  expect([...new Set(namespaces)]).toEqual(['Ingot/metal']);
  for (const { MetricTransformations } of filters) {
    expect(MetricTransformations).toHaveLength(1);
    expect(MetricTransformations[0]).toMatchObject({ MetricValue: '1' });
    expect(MetricTransformations[0]).not.toHaveProperty('DefaultValue');
  }
});
