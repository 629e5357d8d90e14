/** Functions that wait for events: a rule on the bus for each row of the manifest. */
import { Duration } from 'aws-cdk-lib';
import { type EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import { eventSource } from '../layers/platform/events.ts';
import type { Lambda } from './lambda.ts';
import type { FunctionName, SubscriptionRow } from './manifest.ts';

export type SubscriptionsOptions = {
  readonly rows: readonly SubscriptionRow[];
  readonly bus: EventBus;
  readonly functions: Record<FunctionName, Lambda>;
  /** Gets events that a function could not be given, or failed at. */
  readonly lost: Queue;
};

/** As often as EventBridge tries to hand an event over at most, and Lambda to have the function take it. */
const delivery = { maxEventAge: Duration.hours(24), retryAttempts: 185 };
const invocation = { maxEventAge: Duration.hours(6), retryAttempts: 2 };

export class Subscriptions extends Construct {
  constructor(scope: Construct, id: string, { rows, bus, functions, lost }: SubscriptionsOptions) {
    super(scope, id);
    for (const { function: name, types } of rows) {
      const { live } = functions[name];
      live.configureAsyncInvoke({ ...invocation, onFailure: new SqsDestination(lost) });
      void new Rule(this, name, {
        eventBus: bus,
        description: `Events that ${name} waits for`,
        eventPattern: { source: [eventSource], detailType: [...types] },
        targets: [new LambdaFunction(live, { deadLetterQueue: lost, ...delivery })],
      });
    }
  }
}
