/** What wakes somebody up: failed executions, nodes that are stuck, functions that fail, events that are late or lost. */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import { namespace, stuckNodes, unreadableChanges } from '../layers/domain/metrics.ts';
import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import { feed } from './manifest.ts';
import type { Workflows } from './workflows.ts';

const period = Duration.minutes(5);

/** Events that are as old are late: whoever waits for one believes that nothing has happened. Milliseconds. */
const late = 60_000;

export type AlarmsOptions = {
  readonly context: Context;
  readonly workflows: Workflows;
  readonly functions: Record<string, Lambda>;
  /** Queues in which nothing should ever be, by what is in them. */
  readonly lost: Readonly<Record<string, Queue>>;
};

export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { context, workflows, functions, lost }: AlarmsOptions) {
    super(scope, id);
    const topic = context.alarm_topic_arn && Topic.fromTopicArn(this, 'Topic', context.alarm_topic_arn);
    const add = (name: string, metric: IMetric, description: string, threshold = 0) => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: description,
      });
      if (topic) alarm.addAlarmAction(new SnsAction(topic));
    };
    for (const [name, machine] of Object.entries(workflows.machines)) {
      add(`${name}-failed`, machine.metricFailed({ period }), `A ${name} failed: see the node's last_error.`);
      add(`${name}-timed-out`, machine.metricTimedOut({ period }), `A ${name} took too long and was ended.`);
    }
    for (const [name, { function: fn }] of Object.entries(functions)) {
      add(`${name}-errors`, fn.metricErrors({ period }), `Function ${name} failed: see its log.`);
    }
    const own = ({ name, service }: { readonly name: string; readonly service: string }) =>
      new Metric({ namespace, metricName: name, dimensionsMap: { service }, period, statistic: 'Maximum' });
    add(
      'stuck-nodes',
      own(stuckNodes),
      'sync found nodes without an execution and could not help them: see its log for their UUIDs.',
    );
    add(
      'unreadable-changes',
      own(unreadableChanges),
      'events could make no event of a change of a node, and went on: see its log.',
    );
    const { functionName: FunctionName } = functions[feed.function]!.function;
    add(
      'events-late',
      new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'IteratorAge',
        dimensionsMap: { FunctionName },
        period,
        statistic: 'Maximum',
      }),
      'Changes of nodes wait to be published as events: see the log of function events.',
      late,
    );
    for (const [name, queue] of Object.entries(lost)) {
      const waiting = queue.metricApproximateNumberOfMessagesVisible({ period });
      add(
        `lost-${name}`,
        waiting,
        `Something was given up that should have been delivered: read the queue of ${name}.`,
      );
    }
  }
}
