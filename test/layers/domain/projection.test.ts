import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { defaults, type Fields } from '../../../layers/domain/fields.ts';
import { chassis } from '../../../layers/domain/chassis.ts';
import { node } from '../../../layers/domain/node.ts';
import { port } from '../../../layers/domain/port.ts';
import { portgroup } from '../../../layers/domain/portgroup.ts';
import { projector } from '../../../layers/domain/projection.ts';
import { createSchema } from '../../../layers/domain/schema.ts';
import { MAX } from '../../../layers/domain/versions.ts';

const tables: [string, Fields][] = [
  ['node', node],
  ['port', port],
  ['portgroup', portgroup],
  ['chassis', chassis],
];
const rows = tables.flatMap(([kind, table]) =>
  Object.entries(table).map(([name, row]) => ({ kind, table, name, since: row.since ?? 1 })),
);

describe('every row of every table', () => {
  it.each(rows)('$kind.$name is shown from 1.$since on and not before', ({ table, name, since }) => {
    const shown = (version: number) => projector(table, version, 'all')(defaults(table));
    expect(shown(since)).toHaveProperty(name);
    expect(shown(MAX)).toHaveProperty(name);
    expect(Object.keys(shown(since - 1))).not.toContain(name);
  });

  it.each(rows)('$kind.$name is taken by POST only as its access says, from 1.$since on', ({ table, name, since }) => {
    const { access } = table[name]!;
    const taken = (version: number) => {
      const result = createSchema(table, version).safeParse({ [name]: null });
      const issues = result.error?.issues ?? [];
      return !issues.some((issue) => issue.code === 'unrecognized_keys');
    };
    const settable = access === 'create' || access === 'update';
    expect([taken(since - 1), taken(since), taken(MAX)]).toEqual([false, settable, settable]);
  });

  it('JSON fields are never null and others are null when they are not set', () => {
    for (const [, table] of tables) {
      const expected = Object.entries(table).map(([name, row]) => [name, row.default ?? null]);
      expect(projector(table, MAX, 'all')({})).toEqual(Object.fromEntries(expected));
    }
  });
});

describe('a projection', () => {
  const names = Object.keys(node);

  it('has exactly the fields that are wanted and known, and links', () => {
    fc.assert(
      fc.property(fc.subarray(names), fc.integer({ min: 1, max: MAX }), (wanted, version) => {
        const keys = Object.keys(projector(node, version, wanted)(defaults(node)));
        const known = wanted.filter((name) => ((node as Fields)[name]!.since ?? 1) <= version);
        expect(new Set(keys)).toEqual(new Set([...known, 'links']));
      }),
    );
  });

  it('shows an older version the states that it knew', () => {
    const state = (provision_state: string, version: number) =>
      projector(node, version, ['provision_state'])({ provision_state })['provision_state'];
    expect([state('available', 1), state('available', 2)]).toEqual([null, 'available']);
    expect([state('inspect wait', 38), state('inspect wait', 39)]).toEqual(['inspecting', 'inspect wait']);
  });

  it('prefers what is computed over what is stored', () => {
    const show = projector<{ name: string }>(node, MAX, ['name'], { name: ({ name }) => `${name}!` });
    expect(show({ name: 'a' })).toMatchObject({ name: 'a!' });
  });
});
