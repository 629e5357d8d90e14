/**
 * The stack of the first version (test/fixtures/first-version) becomes that of this one by updates in place: what holds
 * data, or an address that others know, has its logical id and what CloudFormation would replace it for.
 */
import { readFileSync } from 'node:fs';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { IngotStack } from '../../infra/stack.ts';

type Index = { readonly IndexName: string };
type Resource = { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> };
type Resources = Readonly<Record<string, Resource>>;

const first = JSON.parse(readFileSync(new URL('../fixtures/first-version/template.json', import.meta.url), 'utf8')) as {
  Resources: Resources;
  Outputs: string[];
};

const synthesise = (context: Record<string, unknown> = {}) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot')).toJSON() as {
    Resources: Resources;
    Outputs: Readonly<Record<string, unknown>>;
  };
};

const table = 'AWS::DynamoDB::GlobalTable';
const tableIn = (resources: Resources, id: string) => resources[id]!.Properties;
const [tableId] = Object.entries(first.Resources).find(([, { Type }]) => Type === table)!;
const indexesOf = (properties: Resource['Properties']) =>
  ((properties['GlobalSecondaryIndexes'] ?? []) as Index[]).map(({ IndexName }) => IndexName);

/** What of a resource of the first version has to be as it was: all that its fixture holds of it. */
const asItWas = ({ Type, Properties }: Resource) =>
  Type === table
    ? (({ GlobalSecondaryIndexes: _indexes, AttributeDefinitions: _keys, Replicas: _copies, ...rest }) => rest)(
        Properties,
      )
    : Properties;

describe('the update of a stack of the first version', () => {
  const now = synthesise();
  const { [tableId]: _table, ...others } = first.Resources;

  it.each(Object.entries(first.Resources))('replaces nothing of %s', (id, before) => {
    const after = now.Resources[id]!;
    expect(after).toMatchObject({ ...before, Properties: asItWas(before) });
    // Of what holds data everything is in the fixture, so that nothing new is a reason to replace it.
    const isWhole = ['AWS::S3::Bucket', 'AWS::KMS::Key'].includes(before.Type);
    expect(isWhole ? after.Properties : before.Properties).toEqual(before.Properties);
  });

  it('keeps the keys of the table, its protection, and the name that CloudFormation gave it', () => {
    const { KeySchema, TableName } = tableIn(now.Resources, tableId);
    expect([KeySchema, TableName]).toEqual([tableIn(first.Resources, tableId)['KeySchema'], undefined]);
    expect(tableIn(now.Resources, tableId)['Replicas']).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
  });

  it('keeps the outputs', () => {
    expect(Object.keys(now.Outputs)).toEqual(expect.arrayContaining(first.Outputs));
  });

  it('changes nothing of the table as long as its indexes are kept, but that its changes can be followed', () => {
    const { Resources } = synthesise({ former_indexes: '15' });
    const { StreamSpecification: stream, ...properties } = tableIn(Resources, tableId);
    expect(stream).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect({ ...Resources[tableId], Properties: properties }).toEqual(first.Resources[tableId]);
    expect(Object.keys(Resources)).toEqual(expect.arrayContaining(Object.keys(others)));
  });

  it('drops one index with each number less', () => {
    const all = indexesOf(tableIn(first.Resources, tableId));
    for (const count of [14, 7, 1, 0]) {
      const properties = tableIn(synthesise({ former_indexes: count }).Resources, tableId);
      expect(indexesOf(properties)).toEqual(all.slice(0, count));
    }
  });

  it('knows no other number', () => {
    for (const wrong of ['16', '-1', 'all'])
      expect(() => synthesise({ former_indexes: wrong })).toThrow('former_indexes');
  });
});
