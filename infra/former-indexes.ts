/**
 * The secondary indexes of the first version, of which nothing is read any more: its table is updated in place, and
 * DynamoDB drops one in an update. So the template keeps the first so many of them until they are gone (docs/aws.md).
 */
import { AttributeType, ProjectionType, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';

const names = [
  'list',
  'by_busy',
  'by_free',
  'by_associated',
  'by_provision_state',
  'by_maintenance',
  'by_driver',
  'by_chassis_uuid',
  'by_resource_class',
  'by_fault',
  'by_conductor_group',
  'by_owner',
  'by_lessee',
  'by_shard',
  'by_parent_node',
] as const;

export const formerIndexCount = names.length;

/** Keeps the first `count` of them in the template, as they were. */
export const keepFormerIndexes = (table: TableV2, count: number): void => {
  for (const name of names.slice(0, count)) {
    table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: { name, type: AttributeType.STRING },
      sortKey: { name: 'position', type: AttributeType.STRING },
      projectionType: ProjectionType.ALL,
    });
  }
};
