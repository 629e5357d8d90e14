/** The queue of what could not be delivered, by whomever, for people: an alarm tells of it, and each message says what it is and why. */
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** SQS keeps it for two weeks at most. */
export const createLost = (scope: Construct): Queue =>
  new Queue(scope, 'Lost', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
