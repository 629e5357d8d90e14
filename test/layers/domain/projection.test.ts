import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { defaults, type Fields } from '../../../layers/domain/fields.ts';
import { chassis } from '../../../layers/domain/chassis.ts';
import { node } from '../../../layers/domain/node.ts';
import { port } from '../../../layers/domain/port.ts';
import { portgroup } from '../../../layers/domain/portgroup.ts';
import { projector, resourceLinks, withheldFrom, type Viewer } from '../../../layers/domain/projection.ts';
import { createSchema } from '../../../layers/domain/schema.ts';
import { MAX } from '../../../layers/domain/versions.ts';

const admin: Viewer['subject'] = { user: 'u', project: null, roles: ['admin'], scope: 'system' };
const at = (version: number, subject = admin): Viewer => ({ version, base: 'http://metal.test', subject });

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
    const shown = (version: number) => projector(table, at(version), 'all')(defaults(table));
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
      const expected = Object.entries(table)
        .filter(([, row]) => row.links === undefined)
        .map(([name, row]) => [name, row.default ?? null]);
      expect(projector(table, at(MAX), 'all')({})).toMatchObject(Object.fromEntries(expected));
    }
  });
});

describe('a projection', () => {
  const names = Object.keys(node);

  it('has exactly the fields that are wanted and known, and links', () => {
    fc.assert(
      fc.property(fc.subarray(names), fc.integer({ min: 1, max: MAX }), (wanted, version) => {
        const keys = Object.keys(projector(node, at(version), wanted)(defaults(node)));
        const known = wanted.filter((name) => ((node as Fields)[name]!.since ?? 1) <= version);
        expect(new Set(keys)).toEqual(new Set([...known, 'links']));
      }),
    );
  });

  it('shows an older version the states that it knew', () => {
    const state = (provision_state: string, version: number) =>
      projector(node, at(version), ['provision_state'])({ provision_state })['provision_state'];
    expect([state('available', 1), state('available', 2)]).toEqual([null, 'available']);
    expect([state('inspect wait', 38), state('inspect wait', 39)]).toEqual(['inspecting', 'inspect wait']);
  });

  it('prefers what is computed over what is stored', () => {
    const shown = { name: ({ name }: { name: string }) => `${name}!` };
    const show = projector<{ name: string }>(node, at(MAX), ['name'], { shown });
    expect(show({ name: 'a' })).toMatchObject({ name: 'a!' });
  });

  it('links to the record and to what is below it', () => {
    const show = projector(node, at(MAX), ['volume'], { at: 'nodes' });
    expect(show({ uuid: 'u1' })).toEqual({
      links: resourceLinks('http://metal.test', 'nodes', 'u1'),
      volume: [
        { href: 'http://metal.test/v1/nodes/u1/volume', rel: 'self' },
        { href: 'http://metal.test/nodes/u1/volume', rel: 'bookmark' },
      ],
    });
  });
});

describe('what is withheld', () => {
  const rows: Fields = {
    plain: { access: 'read', schema: z.string(), doc: '' },
    owners: {
      access: 'read',
      schema: z.string(),
      withheld: { unless: ['baremetal:node:get:last_error'], notice: 'for owners' },
      doc: '',
    },
    secret: { access: 'read', schema: z.string(), withheld: { when: 'closed', notice: null }, doc: '' },
  };
  const record = { owner: 'o', lessee: 'l', plain: 'p', owners: 'o', secret: 's' };
  const reader = (project: string): Viewer['subject'] => ({ user: 'u', project, roles: ['reader'], scope: 'project' });
  const show = (subject: Viewer['subject'], more: object = {}) =>
    projector<object>(rows, at(MAX, subject), 'all')({ ...record, ...more });

  it('by a rule is a notice for whoever does not pass it, also in place of null', () => {
    for (const subject of [admin, reader('o')]) expect(show(subject)).toMatchObject({ plain: 'p', owners: 'o' });
    for (const owners of ['o', null]) expect(show(reader('l'), { owners })).toMatchObject({ owners: 'for owners' });
  });

  it('by a field is a notice for everybody, of the records that have it', () => {
    for (const subject of [admin, reader('o'), reader('l')]) {
      expect(show(subject)).toMatchObject({ secret: 's' });
      expect(show(subject, { closed: true })).toMatchObject({ secret: null });
    }
  });

  it('is asked of whoever owns what the record belongs to', () => {
    const part = { plain: 'p', owners: 'o' };
    const shown = (owner: string) =>
      projector<object>(rows, at(MAX, reader('o')), 'all', { owned: { owner } })(part)['owners'];
    expect([shown('o'), shown('other')]).toEqual(['o', 'for owners']);
    expect(withheldFrom(rows, reader('o'))(part)).toEqual(['owners']);
  });
});
