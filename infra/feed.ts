/** Who follows the changes of the table: its stream, handed to the function of the manifest's row in batches. */
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

import type { Lambda } from './lambda.ts';
import { feed, type FunctionName, layout } from './manifest.ts';

export type FeedOptions = {
  readonly table: TableV2;
  readonly functions: Record<FunctionName, Lambda>;
  /** Gets the names of changes that nobody could make events of for a day. */
  readonly lost: Queue;
};

export class Feed extends Construct {
  constructor(scope: Construct, id: string, { table, functions, lost }: FeedOptions) {
    super(scope, id);
    const { function: fn, live } = functions[feed.function];
    const stream = table.tableStreamArn!;
    // The library's own grant has a star for the list of streams, which may name one.
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((name) => `dynamodb:${name}`),
        resources: [stream],
      }),
    );
    new EventSourceMapping(this, 'Mapping', {
      target: live,
      eventSourceArn: stream,
      // What was written before somebody listened is told, too.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Those of one partition key stay in their order.
      parallelizationFactor: 4,
      filters: [FilterCriteria.filter({ dynamodb: { Keys: { [layout.sort]: { S: FilterRule.isEqual(feed.sort) } } } })],
      // It goes on where the function says, again and again as long as the stream has it, which is a day.
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      onFailure: new SqsDlq(lost),
    });
  }
}
