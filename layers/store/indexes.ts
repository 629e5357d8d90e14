/**
 * Lists stay flat as the fleet grows: each index partition is split into 16 shards that are read in parallel and
 * merged by `position` (the ULID a record got when it was created). A DynamoDB partition takes 1,000 writes a second.
 */
import { createHash } from 'node:crypto';

import { isFree } from '../domain/allocation.ts';
import type { Fields } from '../domain/fields.ts';
import { node, type Node } from '../domain/node.ts';
import type { Index } from '../platform/table.ts';

export const shards = 16;

/** The shard of a record, from its uuid. */
export const shardOf = (uuid: string): number => createHash('sha256').update(uuid).digest()[0]! % shards;

/** Partition of the index `list`. */
export const listPartition = (kind: string, shard: number): string => `${kind}#${shard}`;
/** Partition of an index by field, for the records with this value. */
export const indexPartition = (kind: string, field: string, value: unknown, shard: number): string =>
  `${kind}#${field}#${String(value)}#${shard}`;

/** `list` holds all records of a kind; `by_<field>` those with a value of an indexed field. */
export const indexName = (field: string): string => `by_${field}`;

/** Whether an attribute is one by which the table finds an item, or what goes with it; they are no part of the record. */
export const isPlace = (name: string): boolean =>
  name === 'pk' || name === 'sk' || name === 'guards' || name === 'list' || name.startsWith('by_');

/** The attributes that put a record into the indexes; null values are in none (sparse). */
export const indexAttributes = (kind: string, rows: Fields, record: { uuid: string }): Record<string, string> => {
  const shard = shardOf(record.uuid);
  const values = record as unknown as Record<string, unknown>;
  const own = Object.entries(rows)
    .filter(([name, field]) => field.index && values[name] !== null && values[name] !== undefined)
    .map(([name]) => [indexName(name), indexPartition(kind, name, values[name], shard)]);
  return { list: listPartition(kind, shard), ...Object.fromEntries(own) };
};

/** Indexes over what follows from a node's fields; `associated` is whether it has an instance. */
export const derivedIndexes: { readonly [name: string]: (node: Readonly<Record<string, unknown>>) => boolean } = {
  associated: ({ instance_uuid }) => (instance_uuid ?? null) !== null,
};

/** The attributes that put a node into those. */
export const derivedAttributes = (node: { readonly uuid: string }): Record<string, string> =>
  Object.fromEntries(
    Object.entries(derivedIndexes).map(([name, value]) => [
      indexName(name),
      indexPartition('node', name, value(node), shardOf(node.uuid)),
    ]),
  );

/** Nodes that a run owns or locks, and allocations that look for a node: what `sync` looks at (sparse). */
export const busyIndex = 'by_busy';
/** Partition of the index of what is busy. */
export const busyPartition = (shard: number, kind: 'node' | 'allocation' = 'node'): string => `${kind}#busy#${shard}`;

/** The attribute that puts a node into that index; a node that nothing works on is not in it. */
export const busyAttribute = (node: { uuid: string; run: string | null; reservation: string | null }) =>
  node.run === null && node.reservation === null ? {} : { [busyIndex]: busyPartition(shardOf(node.uuid)) };

/**
 * Nodes that an allocation may get, by resource class (sparse): a fleet of nodes that all have instances costs an
 * allocation nothing.
 */
export const freeIndex = 'by_free';
/** Partition of the index of free nodes of a resource class. */
export const freePartition = (resourceClass: string, shard: number): string => `node#free#${resourceClass}#${shard}`;

/** The attribute that puts a node into that index. */
export const freeAttribute = (record: Node) =>
  record.resource_class !== null && isFree(record)
    ? { [freeIndex]: freePartition(record.resource_class, shardOf(record.uuid)) }
    : {};

/** Every secondary index of the table; read by infra, `local/table` and the test table. */
export const indexes: readonly Index[] = [
  { name: 'list' },
  { name: busyIndex },
  { name: freeIndex },
  ...Object.keys(derivedIndexes).map((name) => ({ name: indexName(name) })),
  ...Object.entries(node)
    .filter(([, field]) => 'index' in field && field.index)
    .map(([name]) => ({ name: indexName(name) })),
];
