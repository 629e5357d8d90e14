import { describe, expect, it } from 'vitest';

import { node } from '../../../layers/domain/node.ts';
import {
  busyAttribute,
  busyIndex,
  derivedAttributes,
  freeAttribute,
  freeIndex,
  indexAttributes,
  indexes,
  shardOf,
  shards,
} from '../../../layers/store/indexes.ts';
import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { aNode } from './a-node.ts';

const free = {
  provision_state: 'available',
  power_state: 'power off',
  maintenance: false,
  instance_uuid: null,
} as const;

describe('shards', () => {
  it('take about as many records each', () => {
    const counts = Array.from({ length: shards }, () => 0);
    for (let n = 0; n < 1600; n += 1) counts[shardOf(countedUuid(n))]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(140);
  });

  it('of a record never change', () => {
    expect(shardOf(countedUuid(1))).toBe(shardOf(countedUuid(1)));
  });
});

describe('index attributes', () => {
  it('of a node name the partition of each indexed value it has, false and empty ones too', () => {
    const shard = shardOf(countedUuid(1));
    const record = aNode({ owner: 'p1', maintenance: false, conductor_group: '', lessee: null });
    const found = indexAttributes('node', node, record);
    expect(found).toMatchObject({
      list: `node#${shard}`,
      by_owner: `node#owner#p1#${shard}`,
      by_maintenance: `node#maintenance#false#${shard}`,
      by_conductor_group: `node#conductor_group##${shard}`,
    });
    expect(found).not.toHaveProperty('by_lessee');
  });

  it('are all indexes of the table, of which DynamoDB takes 20', () => {
    const everything = Object.fromEntries(Object.keys(node).map((name) => [name, 'x']));
    const record = { ...everything, uuid: countedUuid(1), run: 'r', reservation: null };
    const used = { ...indexAttributes('node', node, record), ...derivedAttributes(record), ...busyAttribute(record) };
    Object.assign(used, freeAttribute(aNode({ ...free, resource_class: 'x' })));
    expect(Object.keys(used).sort()).toEqual(indexes.map(({ name }) => name).sort());
    expect(indexes.length).toBeLessThanOrEqual(20);
  });

  it('put a node among the free ones of its resource class while somebody may get it', () => {
    const shard = shardOf(countedUuid(1));
    const node = { ...aNode({ ...free, resource_class: 'gold' }), uuid: countedUuid(1) };
    expect(freeAttribute(node)).toEqual({ [freeIndex]: `node#free#gold#${shard}` });
    expect(freeAttribute({ ...node, resource_class: null })).toEqual({});
    expect(freeAttribute({ ...node, instance_uuid: countedUuid(2) })).toEqual({});
  });

  it('put a node among the busy ones while a run owns or locks it', () => {
    const uuid = countedUuid(1);
    expect(busyAttribute({ uuid, run: null, reservation: null })).toEqual({});
    expect(busyAttribute({ uuid, run: 'r', reservation: null })).toHaveProperty(busyIndex);
    expect(busyAttribute({ uuid, run: null, reservation: 'r' })).toHaveProperty(busyIndex);
  });
});
