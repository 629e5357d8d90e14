/** What is kept: the tables, the one bucket, and the keys; and the bus on which events of it are published. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

import type { TableName } from './grants.ts';
import { feed, layout, perTable, type TableRow } from './manifest.ts';

const string = AttributeType.STRING;

/** `followed`: its changes are in a stream, as items were and as they are. */
const makeTable = (scope: Construct, { construct }: TableRow, followed: boolean): TableV2 =>
  new TableV2(scope, construct, {
    partitionKey: { name: layout.partition, type: string },
    sortKey: { name: layout.sort, type: string },
    timeToLiveAttribute: layout.ttl,
    ...(followed && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });

export class Data extends Construct {
  readonly tables: Readonly<Record<TableName, TableV2>>;
  readonly bucket: Bucket;
  readonly bus: EventBus;
  /** Encrypts objects. */
  readonly dataKey: Key;
  /** Seals BMC passwords and agent tokens: a key of its own, because who may read objects may not open secrets. */
  readonly secretsKey: Key;

  /** `stackName`: what the bus is called. */
  constructor(scope: Construct, id: string, stackName: string) {
    super(scope, id);
    this.tables = perTable((row, name) => makeTable(this, row, name === feed.table));
    this.bus = new EventBus(this, 'Bus', { eventBusName: stackName, description: 'Ingot: what happens to nodes' });
    this.dataKey = new Key(this, 'DataKey', { enableKeyRotation: true, description: 'Ingot objects' });
    this.secretsKey = new Key(this, 'SecretsKey', { enableKeyRotation: true, description: 'Ingot BMC credentials' });
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.dataKey,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: RemovalPolicy.RETAIN,
      // A configdrive lives as long as its deployment, so only what was cut off in the middle expires.
      lifecycleRules: [{ id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    });
  }
}
