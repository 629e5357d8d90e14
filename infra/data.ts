/** What is kept: the tables, the one bucket, and the keys. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

import type { TableName } from './grants.ts';
import { layout, perTable, type TableRow } from './manifest.ts';

const string = AttributeType.STRING;

const makeTable = (scope: Construct, { construct }: TableRow): TableV2 =>
  new TableV2(scope, construct, {
    partitionKey: { name: layout.partition, type: string },
    sortKey: { name: layout.sort, type: string },
    timeToLiveAttribute: layout.ttl,
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });

export class Data extends Construct {
  readonly tables: Readonly<Record<TableName, TableV2>>;
  readonly bucket: Bucket;
  /** Encrypts objects. */
  readonly dataKey: Key;
  /** Seals BMC passwords and agent tokens: a key of its own, because who may read objects may not open secrets. */
  readonly secretsKey: Key;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.tables = perTable((row) => makeTable(this, row));
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
