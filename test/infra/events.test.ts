/** The way of an event through the template: table, stream, function, bus, and functions that wait for it. */
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import type { SubscriptionRow } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';

const synthesise = (subscriptions?: readonly SubscriptionRow[]) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], stack_name: 'metal' } });
  return Template.fromStack(new IngotStack(app, 'Ingot', subscriptions ? { subscriptions } : {}));
};

const template = synthesise();

describe('changes of nodes', () => {
  it('are in the stream of the table as they were and as they are', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
  });

  it('go to one function, nothing else of the table does, and none is given up before the stream forgets it', () => {
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      // The name out of the ARN of the alias, and the alias.
      FunctionName: { 'Fn::Join': ['', [Match.objectLike({ 'Fn::Select': Match.arrayWith([6]) }), ':live']] },
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"sk":{"S":["node"]}}}}' }] },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: Match.absent(),
      MaximumRecordAgeInSeconds: Match.absent(),
      DestinationConfig: {
        OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Lost'), 'Arn'] } },
      },
    });
  });

  it('are all that the function may do with the table: it reads the stream, and publishes to one bus', () => {
    const policies = Object.values(template.findResources('AWS::IAM::Policy')).map(
      ({ Properties }) => Properties as { PolicyName: string; PolicyDocument: { Statement: { Action: unknown }[] } },
    );
    const [own] = policies.filter(({ PolicyName }) => PolicyName.startsWith('eventsFunction'));
    const actions = own!.PolicyDocument.Statement.flatMap(({ Action }) => Action);
    expect(actions.filter((action) => !String(action).startsWith('xray:'))).toEqual([
      'events:PutEvents',
      'dynamodb:DescribeStream',
      'dynamodb:GetRecords',
      'dynamodb:GetShardIterator',
      'dynamodb:ListStreams',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:SendMessage',
    ]);
  });
});

describe('the bus', () => {
  it('has the name of the deployment, which the function knows', () => {
    template.hasResourceProperties('AWS::Events::EventBus', { Name: 'metal' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: Match.stringLikeRegexp('publishes events'),
      Environment: { Variables: Match.objectLike({ EVENT_BUS_NAME: { Ref: Match.stringLikeRegexp('^DataBus') } }) },
    });
  });
});

describe('people', () => {
  it('are told of events that are late, and of what was given up', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'IteratorAge', Threshold: 60_000 });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Lost'), 'QueueName'] } }],
    });
  });
});

describe('a subscription', () => {
  const subscribed = synthesise([{ function: 'sync', types: ['node.provision_state', 'node.vifs'] }]);
  const queue = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Lost'), 'Arn'] };

  it('hands events of its types to its function, and what it can not hand over to people', () => {
    subscribed.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: { Ref: Match.stringLikeRegexp('^DataBus') },
      EventPattern: { source: ['ingot'], 'detail-type': ['node.provision_state', 'node.vifs'] },
      Targets: [
        Match.objectLike({
          Arn: { Ref: Match.stringLikeRegexp('^syncLive') },
          DeadLetterConfig: { Arn: queue },
          RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        }),
      ],
    });
    subscribed.hasResourceProperties('AWS::Lambda::Permission', {
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^Subscriptionssync'), 'Arn'] },
    });
  });

  it('keeps for people what the function failed at', () => {
    subscribed.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      FunctionName: { Ref: Match.stringLikeRegexp('^syncFunction') },
      DestinationConfig: { OnFailure: { Destination: queue } },
    });
  });
});
