import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hostnameOf, hostAttributes, server } from '../../../../layers/domain/compute/server.ts';
import { wireName } from '../../../../layers/domain/fields.ts';
import { projector } from '../../../../layers/domain/projection.ts';
import { createSchema } from '../../../../layers/domain/schema.ts';

describe('the hostname that follows from a name', () => {
  it.each([
    ['s1', 's1'],
    ['Web Server_1.Example', 'web-server-1-example'],
    ['--x--', 'x'],
    ['a!b@c', 'abc'],
    ['日本', 'Server-u'],
    ['..', 'Server-u'],
    ['x'.repeat(70), 'x'.repeat(63)],
    [`${'x'.repeat(62)}.y`, 'x'.repeat(62)],
  ])('%s is %s', (name, expected) => {
    expect(hostnameOf(name, 'u')).toBe(expected);
  });

  it('is always one that a guest may have', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 255 }), (name) => {
        expect(hostnameOf(name, '0-1')).toMatch(/^(?!-)[\w-]{1,63}(?<!-)$/);
      }),
    );
  });
});

describe('a server', () => {
  const viewer = (version: number) =>
    ({ version, base: '', subject: { user: null, project: null, roles: [], scope: 'system' } }) as const;

  it('is shown under the names of the extensions that its fields have', () => {
    const record = { name: 's', vm_state: 'active', diskConfig: 'AUTO', tags: ['a'] };
    const shown = projector<object>(server, viewer(25), 'all')(record);
    expect(shown).toMatchObject({ name: 's', 'OS-EXT-STS:vm_state': 'active', 'OS-DCF:diskConfig': 'AUTO' });
    expect(Object.keys(shown)).not.toContain('tags');
    expect(projector<object>(server, viewer(26), 'all')(record)).toMatchObject({ tags: ['a'] });
  });

  it('is changed by PUT in what its rows say, by the names of the wire', () => {
    const schema = createSchema(server, 90);
    expect(schema.parse({ name: 'n', 'OS-DCF:diskConfig': 'AUTO', 'OS-EXT-SRV-ATTR:hostname': 'h1' })).toEqual({
      name: 'n',
      diskConfig: 'AUTO',
      hostname: 'h1',
    });
    expect(schema.safeParse({ name: 'n', status: 'ACTIVE' }).success).toBe(false);
  });

  it('has each name once for whoever sees all of it, at each version', () => {
    for (const version of [1, 3, 89, 90, 96]) {
      const names = [server, hostAttributes].flatMap((rows) =>
        Object.keys(projector<object>(rows, viewer(version), 'all')({})),
      );
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    }
    expect(wireName('vm_state', server.vm_state)).toBe('OS-EXT-STS:vm_state');
  });
});
