import { describe, expect, it } from 'vitest';

import { flavor } from '../../../../layers/domain/compute/flavor.ts';
import { serverGroup } from '../../../../layers/domain/compute/server-group.ts';
import { groupOfZone, zoneOf } from '../../../../layers/domain/compute/availability-zone.ts';
import { projector } from '../../../../layers/domain/projection.ts';
import { check, createSchema } from '../../../../layers/domain/schema.ts';

const least = { name: 'bm.small', ram: 2048, disk: 20, vcpus: 2 };

describe('a flavor', () => {
  it('is made of numbers or their texts, by the names of the wire', () => {
    const given = {
      ...least,
      ram: '2048',
      id: 7,
      'OS-FLV-EXT-DATA:ephemeral': '5',
      'os-flavor-access:is_public': 'False',
    };
    expect(check(createSchema(flavor, 1), given)).toEqual({ ...least, id: '7', ephemeral: 5, is_public: false });
  });

  it.each([
    [{ ram: 0 }, 'Invalid value for ram: must be at least 1'],
    [{ vcpus: '1.5' }, 'Invalid value for vcpus'],
    [{ disk: -1 }, 'Invalid value for disk'],
    [{ disk: 2 ** 31 }, 'Invalid value for disk'],
    [{ 'OS-FLV-EXT-DATA:ephemeral': 'x' }, 'Invalid value for OS-FLV-EXT-DATA:ephemeral'],
    [{ ephemeral: 1 }, 'Unexpected arguments: ephemeral.'],
    [{ name: ' a' }, 'Invalid value for name'],
    [{ id: 'a/b' }, 'Invalid value for id'],
    [{ description: 'x' }, 'Unexpected arguments: description.'],
    [{ extra_specs: {} }, 'Unexpected arguments: extra_specs.'],
  ])('with %o is refused', (more, words) => {
    expect(() => check(createSchema(flavor, 54), { ...least, ...more })).toThrow(words);
  });

  it('shows no swap as an empty text below 2.75', () => {
    const show = (version: number, swap: number) =>
      projector<object>(
        flavor,
        { version, base: '', subject: { user: null, project: null, roles: [], scope: 'system' } },
        'all',
      )({ ...least, swap })['swap'];
    expect([show(74, 0), show(75, 0), show(74, 512)]).toEqual(['', 0, 512]);
  });
});

describe('a server group', () => {
  const make = (version: number, policy: object) => check(createSchema(serverGroup, version), { name: 'g', ...policy });

  it('has one policy, in the form of its version', () => {
    expect(make(63, { policies: ['anti-affinity'] })).toMatchObject({ policies: ['anti-affinity'] });
    expect(make(64, { policy: 'soft-affinity' })).toMatchObject({ policy: 'soft-affinity' });
    expect(() => make(64, { policies: ['anti-affinity'] })).toThrow('Invalid value for policy: must be one of');
  });

  it('whose servers would have to share a machine is not made', () => {
    expect(() => make(64, { policy: 'affinity' })).toThrow('a machine holds one server');
    expect(() => make(1, { policies: ['affinity'] })).toThrow('a machine holds one server');
  });
});

it('a zone is the conductor group of its name, and nova is that of nodes without one', () => {
  expect([zoneOf({ conductor_group: '' }), zoneOf({ conductor_group: 'west' })]).toEqual(['nova', 'west']);
  expect([groupOfZone('nova'), groupOfZone('West')]).toEqual(['', 'west']);
});
