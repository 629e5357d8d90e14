/** What wakes somebody up: failed executions, nodes that are stuck, functions that fail. */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

import { namespace, stuck } from '../layers/domain/metrics.ts';
import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import type { Workflows } from './workflows.ts';

const period = Duration.minutes(5);

export type AlarmsOptions = {
  readonly context: Context;
  readonly workflows: Workflows;
  readonly functions: Record<string, Lambda>;
};

export class Alarms extends Construct {
  constructor(scope: Construct, id: string, { context, workflows, functions }: AlarmsOptions) {
    super(scope, id);
    const topic = context.alarm_topic_arn && Topic.fromTopicArn(this, 'Topic', context.alarm_topic_arn);
    const add = (name: string, metric: IMetric, description: string) => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold: 0,
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
    for (const [service, { name, doc }] of Object.entries(stuck)) {
      const metric = { namespace, metricName: name, dimensionsMap: { service }, period, statistic: 'Maximum' };
      add(name.replace(/(?<=.)(?=[A-Z])/, '-').toLowerCase(), new Metric(metric), doc);
    }
  }
}
