/** The filters of the node list as a table (ironic-api.md 2.3). They combine with AND. */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import type { Node } from './node.ts';
import { readList, type Query } from './page.ts';
import { provisionStates } from './baremetal/transitions.ts';
import { bool, uuid } from './values.ts';
import { node as nodeFields } from './node.ts';

/** What of a stored record filters look at. */
export type Listed = Omit<Node, 'instance_info'>;

/** Index partitions that together hold every record a filter keeps: `by_<index>` of each value. */
export type Lookup = { readonly index: string; readonly value: unknown };

export type Filter = {
  readonly since?: number;
  /** A comma list of values. */
  readonly many?: true;
  readonly schema: z.ZodType;
  keep(node: Listed, value: never): boolean;
  lookups?(value: never): readonly Lookup[];
};

/** A filter on the value of a field of the same name; with an index it reads that and nothing else. */
const equal = (
  name: keyof Listed & keyof typeof nodeFields,
  row: { since?: number; schema?: z.ZodType } = {},
): Filter => ({
  schema: z.string(),
  ...row,
  keep: (node: Listed, value: unknown) => node[name] === value,
  ...('index' in nodeFields[name] && { lookups: (value: unknown) => [{ index: name, value }] }),
});

const oneOf = (values: readonly string[]) => z.enum(values as [string, ...string[]]);

export const nodeFilters = {
  instance_uuid: equal('instance_uuid', { schema: uuid }),
  chassis_uuid: equal('chassis_uuid', { schema: uuid }),
  associated: {
    schema: bool,
    keep: ({ instance_uuid }: Listed, wanted: boolean) => (instance_uuid !== null) === wanted,
    lookups: (value: boolean) => [{ index: 'associated', value }],
  },
  maintenance: equal('maintenance', { schema: bool }),
  provision_state: equal('provision_state', { since: 9, schema: oneOf(provisionStates) }),
  driver: equal('driver', { since: 16 }),
  resource_class: equal('resource_class', { since: 21 }),
  fault: equal('fault', { since: 42, schema: nodeFields.fault.schema }),
  conductor_group: equal('conductor_group', { since: 46, schema: z.string().toLowerCase() }),
  owner: equal('owner', { since: 50 }),
  description_contains: {
    schema: z.string(),
    keep: ({ description }: Listed, part: string) => description?.includes(part) ?? false,
  },
  retired: equal('retired', { schema: bool }),
  lessee: equal('lessee', { since: 65 }),
  project: {
    schema: z.string(),
    keep: ({ owner, lessee }: Listed, project: string) => owner === project || lessee === project,
    lookups: (value: string) => [
      { index: 'owner', value },
      { index: 'lessee', value },
    ],
  },
  shard: {
    since: 82,
    many: true,
    schema: z.array(z.string()),
    keep: ({ shard }: Listed, wanted: string[]) => shard !== null && wanted.includes(shard),
    lookups: (values: string[]) => values.map((value) => ({ index: 'shard', value })),
  },
  sharded: { since: 82, schema: bool, keep: ({ shard }: Listed, wanted: boolean) => (shard !== null) === wanted },
  parent_node: equal('parent_node', { since: 83 }),
  instance_name: equal('instance_name', { since: 104 }),
} as const satisfies { readonly [name: string]: Filter };

/** Which filter's index is read when several are given: the one that usually keeps fewest. */
const preference = [
  'parent_node',
  'fault',
  'chassis_uuid',
  'lessee',
  'owner',
  'project',
  'shard',
  'resource_class',
  'conductor_group',
  'provision_state',
  'associated',
  'maintenance',
  'driver',
] as const satisfies (keyof typeof nodeFilters)[];

export type Selection = {
  readonly lookups: readonly Lookup[] | undefined;
  keep(node: Listed): boolean;
  /** Whether the caller may know of a node at all; absent: of every one. */
  sees?(node: Listed): boolean;
};

const parse = (name: string, { schema, many }: Filter, values: readonly string[]): unknown => {
  const result = schema.safeParse(many ? readList(values) : values[0]);
  if (!result.success) throw Invalid(`Invalid value for ${name}: ${result.error.issues[0]!.message}.`);
  return result.data;
};

/**
 * What the filters of a query select: the index partitions to read (undefined: the whole list) and the test that each
 * node must pass. Child nodes are kept only when they are asked for (`children`). With `only` nothing is read but what
 * this project owns or leases. Throws Invalid (400).
 */
export const selectNodes = (query: Query, children: boolean, only: string | null = null): Selection => {
  const asked = new Map(
    Object.entries(nodeFilters as Readonly<Record<string, Filter>>)
      .filter(([name]) => query[name])
      .map(([name, filter]) => [name, { filter, value: parse(name, filter, query[name]!) as never }]),
  );
  const best = preference.map((name) => asked.get(name)).find((entry) => entry);
  const tests = [...asked.values()];
  const sees = (node: Listed) => only === null || nodeFilters.project.keep(node, only);
  return {
    lookups: only === null ? best?.filter.lookups?.(best.value) : nodeFilters.project.lookups(only),
    keep: (node) =>
      sees(node) &&
      (children || node.parent_node === null) &&
      tests.every(({ filter, value }) => filter.keep(node, value)),
    sees,
  };
};
