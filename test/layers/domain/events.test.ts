import { describe, expect, it } from 'vitest';

import { carried, eventRows, schemaOf, watched } from '../../../layers/domain/events.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { node, vifs } from '../../../layers/domain/node.ts';

describe('the rows of events', () => {
  it.each(eventRows)('%s tells what a node has, as it is, and nothing that is hidden from some', (_type, { tells }) => {
    const own: Fields = { ...node, vifs: { ...vifs, access: 'read' } };
    for (const [name, { schema }] of Object.entries(tells)) {
      expect(own[name]).toMatchObject({ schema });
      expect([name, own[name]!.masked, own[name]!.withheld]).toEqual([name, undefined, undefined]);
    }
  });

  it('tell no text that somebody wrote', () => {
    const free = ['last_error', 'maintenance_reason', 'description', 'extra', 'name', 'driver_info', 'instance_info'];
    expect([...watched, ...carried].filter((name) => free.includes(name))).toEqual([]);
  });

  it('have a schema each, which takes no more than they tell', () => {
    const detail = {
      id: 'i',
      type: 'node.maintenance',
      time: '2026-01-01T00:00:00.000+00:00',
      node_uuid: '00000000-0000-4000-8000-000000000001',
      sequence: 's',
      before: { maintenance: false, fault: null },
      after: { maintenance: true, fault: 'power failure' },
      instance_uuid: null,
      owner: null,
      lessee: null,
      run: null,
    };
    const schema = schemaOf('node.maintenance');
    expect(schema.parse(detail)).toEqual(detail);
    for (const wrong of [
      { ...detail, more: 1 },
      { ...detail, type: 'node.vifs' },
      { ...detail, after: null },
      { ...detail, after: { ...detail.after, reason: 'x' } },
      { ...detail, after: { maintenance: null, fault: null } },
    ]) {
      expect(schema.safeParse(wrong).success).toBe(false);
    }
  });
});
