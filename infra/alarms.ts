/**
 * What wakes somebody up: what nobody expects. Wrong passwords, busy BMCs and users' mistakes are answered, not alarmed; a
 * node that could not be helped, an error of ours, whatever is throttled, lost or late, and a keeper that does not run are.
 * An alarm costs by the metrics that it looks at, so one looks at what may happen in many places and says where to read on.
 */
import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import type { Api } from './api.ts';
import type { Context } from './context.ts';
import { type Counted, countOf } from './counts.ts';
import type { TableName } from './grants.ts';
import type { Lambda } from './lambda.ts';
import { feed, type FunctionName, keeperNames } from './manifest.ts';
import type { Workflows } from './workflows.ts';

const period = Duration.minutes(5);

/** Events that are as old are late: whoever waits for one believes that nothing has happened. Milliseconds. */
const late = 60_000;

/** Keepers run every five minutes, and a round may last five. */
const silence = Duration.minutes(15);

/** So many answers with 5xx in five minutes are a caller's bad luck. */
const badLuck = 5;

export type AlarmsOptions = {
  readonly context: Context;
  readonly workflows: Workflows;
  readonly functions: Record<FunctionName, Lambda>;
  /** Those of the functions that APIs lead to. */
  readonly facing: readonly FunctionName[];
  readonly apis: Readonly<Record<string, Api>>;
  readonly tables: Readonly<Record<TableName, TableV2>>;
  /** In which nothing should ever be. */
  readonly lost: Queue;
};

/** One alarm: it rings above `threshold` unless `rings` says otherwise, and if `missing` says so when there are no data. */
type Row = {
  readonly name: string;
  readonly metric: IMetric;
  readonly about: string;
  readonly rings?: ComparisonOperator;
  readonly threshold?: number;
  readonly missing?: TreatMissingData;
};

/** They tell those who called them by an error what is wrong: a wrong password, Pending, a busy BMC. */
const throwing: readonly FunctionName[] = ['authorizer', 'workflow', 'server-workflow', 'bmc-proxy', 'boot-image'];

const countedOf = (functions: AlarmsOptions['functions'], names: readonly FunctionName[]): Counted[] =>
  names.flatMap((name): Counted[] => {
    const { logs } = functions[name];
    return [
      { logs, line: 'unexpected' },
      { logs, line: throwing.includes(name) ? 'crash' : 'failure' },
    ];
  });

/** What is taken back when a new version makes it happen: only what APIs lead to has two versions at a time. */
const apiRows = (scope: Construct, { context, functions, facing, apis }: AlarmsOptions): Row[] => {
  const { stack_name: stack } = context;
  const logs = Object.values(apis).map((api): Counted => ({ logs: api.accessLog, line: 'serverError' }));
  return [
    {
      name: 'api-errors',
      metric: countOf(scope, stack, 'ApiErrors', countedOf(functions, facing)),
      about: 'A function that an API leads to met what nobody expected, or ended without an answer: see its log.',
    },
    {
      name: 'api-failing',
      metric: countOf(scope, stack, 'ServerErrors', logs),
      threshold: badLuck,
      about: `More than ${badLuck} requests in five minutes were answered with 5xx: see the access logs of the APIs.`,
    },
  ];
};

const runRows = (scope: Construct, { context, functions, facing, workflows }: AlarmsOptions): Row[] => {
  const { stack_name: stack } = context;
  const others = (Object.keys(functions) as FunctionName[]).filter((name) => !facing.includes(name));
  const logs = Object.values(workflows.logs).map((group): Counted => ({ logs: group, line: 'timedOut' }));
  return [
    {
      name: 'errors',
      metric: countOf(scope, stack, 'Errors', countedOf(functions, others)),
      about:
        'A function that no API leads to met what nobody expected, such as a node that it could not help, or ended without an answer: see the logs.',
    },
    {
      name: 'timed-out',
      metric: countOf(scope, stack, 'TimedOut', logs),
      about: 'A run took too long and was ended: see the executions of the state machines.',
    },
  ];
};

/**
 * Those whose callers wait for them and are no API, which would answer 5xx, and those with a reserve. Of the rest, keepers
 * fall silent and events are late.
 */
const awaited = ['authorizer', 'ramdisk-api', 'workflow', 'server-workflow', 'bmc-proxy', 'boot-image'] as const;

/** The sum of metrics, some of which may have no data. CloudWatch knows lower case names. */
const sumOf = (metrics: readonly IMetric[]): IMetric => {
  const usingMetrics = Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric]));
  const expression = Object.keys(usingMetrics)
    .map((name) => `FILL(${name}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, period });
};

const throttleRows = ({ functions, tables }: AlarmsOptions): Row[] => {
  const events = ({ tableName: TableName }: TableV2, metricName: string) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName }, period, statistic: 'Sum' });
  return [
    {
      name: 'throttled',
      metric: sumOf(awaited.map((name) => functions[name].function.metricThrottles({ period }))),
      about: `A function is called more often than its reserve, or the account, lets it run: one of ${awaited.join(', ')}.`,
    },
    {
      name: 'tables-throttled',
      metric: sumOf(
        Object.values(tables).flatMap((table) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metric) => events(table, metric)),
        ),
      ),
      about: 'DynamoDB throttles a table: too much at once for one partition, or for the account.',
    },
  ];
};

/** Whatever a round meets is an error of its log; that there is none at all only silence tells. */
const keeperRows = ({ functions }: AlarmsOptions): Row[] =>
  keeperNames.map((name) => ({
    name: `${name}-silent`,
    metric: functions[name].function.metricInvocations({ period: silence }),
    rings: ComparisonOperator.LESS_THAN_THRESHOLD,
    threshold: 1,
    missing: TreatMissingData.BREACHING,
    about: `${name} did not run for a quarter of an hour: see its schedule and its throttles.`,
  }));

const eventRows = ({ functions, lost }: AlarmsOptions): Row[] => [
  {
    name: 'events-late',
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'IteratorAge',
      dimensionsMap: { FunctionName: functions[feed.function].function.functionName },
      period,
      statistic: 'Maximum',
    }),
    threshold: late,
    about: 'Changes of nodes wait to be published as events: see the log of function events.',
  },
  {
    name: 'lost',
    metric: lost.metricApproximateNumberOfMessagesVisible({ period }),
    about: 'Something was given up that should have been delivered: read the queue, whose messages say what and why.',
  },
];

export class Alarms extends Construct {
  /** By name. */
  readonly all: Readonly<Record<string, Alarm>>;

  constructor(scope: Stack, id: string, options: AlarmsOptions) {
    super(scope, id);
    const { alarm_topic_arn: arn } = options.context;
    const topic = arn === undefined ? undefined : Topic.fromTopicArn(this, 'Topic', arn);
    const add = ({ name, metric, about, rings, threshold = 0, missing }: Row): Alarm => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        comparisonOperator: rings ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
        alarmDescription: about,
      });
      if (topic) alarm.addAlarmAction(new SnsAction(topic));
      return alarm;
    };
    const rows = [
      ...apiRows(this, options),
      ...runRows(this, options),
      ...throttleRows(options),
      ...keeperRows(options),
      ...eventRows(options),
    ];
    this.all = Object.fromEntries(rows.map((row) => [row.name, add(row)]));
  }
}
