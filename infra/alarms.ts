/**
 * What wakes somebody up: what nobody expects. Wrong passwords, busy BMCs and users' mistakes are answered, not alarmed; a
 * node that could not be helped, an error of ours, whatever is throttled, lost or late, and a keeper that does not run are.
 */
import { Duration, Fn, type Stack } from 'aws-cdk-lib';
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
import { type CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import { namespace, stuckNodes, stuckServers, unexpectedErrors, unreadableChanges } from '../layers/domain/metrics.ts';
import type { Api } from './api.ts';
import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import type { TableName } from './grants.ts';
import { feed, type FunctionName } from './manifest.ts';
import type { Workflows } from './workflows.ts';

const period = Duration.minutes(5);

/** Events that are as old are late: whoever waits for one believes that nothing has happened. Milliseconds. */
const late = 60_000;

/** Keepers run every five minutes, and a round may last five: by then one must have told of itself. */
const silence = Duration.minutes(15);

/** An API that fails this often is broken: more than a few requests in five minutes, and more than so many in a hundred. */
const failing = { atLeast: 5, percent: 5 };

export type AlarmsOptions = {
  readonly context: Context;
  readonly workflows: Workflows;
  readonly functions: Record<FunctionName, Lambda>;
  readonly apis: Readonly<Record<string, Api>>;
  readonly tables: Readonly<Record<TableName, TableV2>>;
  /** Queues in which nothing should ever be, by what is in them. */
  readonly lost: Readonly<Record<string, Queue>>;
};

/** One alarm: it rings above `threshold`, or if `missing` when there are no data either. */
type Row = {
  readonly name: string;
  readonly metric: IMetric;
  readonly about: string;
  readonly threshold?: number;
  readonly missing?: TreatMissingData;
};

type Own = { readonly name: string; readonly service: string };

const own = ({ name: metricName, service }: Own, statistic: 'Maximum' | 'Sum', over = period) =>
  new Metric({ namespace, metricName, dimensionsMap: { service }, period: over, statistic });

const workflowRows = ({ workflows }: AlarmsOptions): Row[] =>
  Object.entries(workflows.machines).map(([name, machine]) => ({
    name: `${name}-timed-out`,
    metric: machine.metricTimedOut({ period }),
    about: `A ${name} took too long and was ended.`,
  }));

/** They tell those who called them by an error, which Lambda counts: a wrong password, Pending, a busy BMC. */
const throwing: readonly FunctionName[] = ['authorizer', 'workflow', 'server-workflow', 'bmc-proxy'];

/** What Lambda says of an invocation of which the function could say nothing: it had no time or memory left, or no start. */
const crashed = FilterPattern.anyTerm('Status: timeout', 'Error Type: Runtime.');

/** Invocations that ended without an answer of the function's own. */
const crashesOf = (scope: Construct, name: FunctionName, { function: fn, logs: logGroup }: Lambda): IMetric => {
  if (!throwing.includes(name)) return fn.metricErrors({ period });
  const to = { metricNamespace: namespace, metricName: `Crashes-${name}` };
  const filter = new MetricFilter(scope, `${name}-crashes-filter`, { logGroup, filterPattern: crashed, ...to });
  return filter.metric({ period, statistic: 'Sum' });
};

const functionRows = (scope: Construct, { functions }: AlarmsOptions): Row[] =>
  Object.entries(functions).flatMap(([name, one]) => [
    {
      name: `${name}-errors`,
      metric: own(unexpectedErrors(name), 'Sum'),
      about: `Function ${name} met what nobody expected: see the errors in its log.`,
    },
    {
      name: `${name}-crashes`,
      metric: crashesOf(scope, name as FunctionName, one),
      about: `Function ${name} ended without an answer: out of time or memory, or it did not start. See its log.`,
    },
    {
      name: `${name}-throttled`,
      metric: one.function.metricThrottles({ period }),
      about: `Function ${name} is called more often than its reserve, or the account, lets it run.`,
    },
  ]);

const apiRows = ({ apis }: AlarmsOptions): Row[] =>
  Object.entries(apis).map(([name, { rest }]) => ({
    name: `${name}-api-failing`,
    metric: new MathExpression({
      expression: `IF(bad > ${failing.atLeast}, 100 * bad / asked, 0)`,
      usingMetrics: { bad: rest.metricServerError({ period }), asked: rest.metricCount({ period }) },
      period,
    }),
    threshold: failing.percent,
    about: `More than ${failing.percent} in a hundred requests to the ${name} API are answered with 5xx.`,
  }));

const tableRows = ({ tables }: AlarmsOptions): Row[] =>
  Object.entries(tables).map(([name, { tableName: TableName }]) => {
    const events = (metricName: string) =>
      new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName }, period, statistic: 'Sum' });
    return {
      name: `${name}-table-throttled`,
      metric: new MathExpression({
        expression: 'FILL(reads, 0) + FILL(writes, 0)',
        usingMetrics: { reads: events('ReadThrottleEvents'), writes: events('WriteThrottleEvents') },
        period,
      }),
      about: `DynamoDB throttles the table of ${name}: too much at once for one partition, or for the account.`,
    };
  });

/** The name in an ARN, which for a rule of a bus has that bus in it as well; a Ref is both together there. */
const nameOf = ({ ruleArn }: Rule, isOfBus: boolean): string => Fn.select(isOfBus ? 2 : 1, Fn.split('/', ruleArn));

/** Every rule there is in the stack, also those that others add. */
const ruleRows = (stack: Stack): Row[] =>
  stack.node
    .findAll()
    .filter((one) => one instanceof Rule)
    .map((rule) => {
      const { eventBusName: bus } = rule.node.defaultChild as CfnRule;
      const dimensionsMap = {
        RuleName: nameOf(rule, bus !== undefined),
        ...(bus !== undefined && { EventBusName: bus }),
      };
      const about = rule.node.path.split('/').slice(1).join('-');
      return {
        name: `rule-${about}`,
        metric: new Metric({
          namespace: 'AWS/Events',
          metricName: 'FailedInvocations',
          dimensionsMap,
          period,
          statistic: 'Sum',
        }),
        about: `EventBridge could not call what rule ${about} is for.`,
      };
    });

/** Keepers say after each round how much they could not help, so silence means that there was none. */
const keeperRows = (): Row[] => [
  {
    name: 'stuck-nodes',
    metric: own(stuckNodes, 'Maximum', silence),
    missing: TreatMissingData.BREACHING,
    about: 'sync found nodes without an execution and could not help them, or it does not run: see its log.',
  },
  {
    name: 'stuck-servers',
    metric: own(stuckServers, 'Maximum', silence),
    missing: TreatMissingData.BREACHING,
    about: 'server-sync found servers without an execution and could not help them, or it does not run: see its log.',
  },
];

const eventRows = ({ functions, lost }: AlarmsOptions): Row[] => [
  {
    name: 'unreadable-changes',
    metric: own(unreadableChanges, 'Maximum'),
    about: 'events could make no event of a change of a node, and went on: see its log.',
  },
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
  ...Object.entries(lost).map(([name, queue]) => ({
    name: `lost-${name}`,
    metric: queue.metricApproximateNumberOfMessagesVisible({ period }),
    about: `Something was given up that should have been delivered: read the queue of ${name}.`,
  })),
];

export class Alarms extends Construct {
  /** By name. */
  readonly all: Readonly<Record<string, Alarm>>;

  constructor(scope: Stack, id: string, options: AlarmsOptions) {
    super(scope, id);
    const { alarm_topic_arn: arn } = options.context;
    const topic = arn === undefined ? undefined : Topic.fromTopicArn(this, 'Topic', arn);
    const add = ({ name, metric, about, threshold = 0, missing = TreatMissingData.NOT_BREACHING }: Row): Alarm => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: missing,
        alarmDescription: about,
      });
      if (topic) alarm.addAlarmAction(new SnsAction(topic));
      return alarm;
    };
    const rows = [
      ...keeperRows(),
      ...functionRows(this, options),
      ...apiRows(options),
      ...workflowRows(options),
      ...tableRows(options),
      ...ruleRows(scope),
      ...eventRows(options),
    ];
    this.all = Object.fromEntries(rows.map((row) => [row.name, add(row)]));
  }
}
