import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { placementClass } from '../../../layers/domain/resource-class.ts';
import { filters, judge, type FilterName, type FilterRow } from '../../../layers/schedule/filters.ts';
import { aCandidate, aFlavor, aWish, uuidOf, wishFor } from './nodes.ts';

/** The names of all filters that refuse. */
const refusing = (node: Parameters<typeof judge>[0], wish: Parameters<typeof judge>[1]): string[] =>
  Object.entries<FilterRow>(filters)
    .filter(([, row]) => row.judge(node, wish) !== undefined)
    .map(([name]) => name);

type Sizes = readonly [vcpus: number, ram: number, root: number, ephemeral: number, swap: number];

/** The golden table of exact-filters.md 2: flavor, node, what refuses at least, what refuses exactly. */
const golden: readonly (readonly [Sizes, Readonly<Record<string, unknown>>, string[], string[]])[] = [
  [[8, 16_384, 500, 0, 0], { cpus: 8, memory_mb: 16_384, local_gb: 500 }, [], []],
  [[8, 16_384, 100, 0, 0], { cpus: 8, memory_mb: 131_072, local_gb: 500 }, [], ['ExactRamFilter', 'ExactDiskFilter']],
  [[8, 16_384, 480, 20, 0], { cpus: 8, memory_mb: 16_384, local_gb: 500 }, [], []],
  [[8, 16_384, 499, 0, 1024], { cpus: 8, memory_mb: 16_384, local_gb: 500 }, [], []],
  [[8, 16_384, 500, 0, 1], { cpus: 8, memory_mb: 16_384, local_gb: 500 }, ['DiskFilter'], ['ExactDiskFilter']],
  [[4, 16_384, 500, 0, 0], { cpus: 8, memory_mb: 16_384, local_gb: 500 }, [], ['ExactCoreFilter']],
  [[8, 16_384, 500, 0, 0], { memory_mb: 16_384, local_gb: 500 }, ['CoreFilter'], ['ExactCoreFilter']],
  [[8, 16_384, 500, 0, 0], { cpus: 'abc', memory_mb: 16_384, local_gb: 500 }, ['CoreFilter'], ['ExactCoreFilter']],
  // Texts of numbers are numbers, as inspection writes them.
  [[8, 16_384, 500, 0, 0], { cpus: '8', memory_mb: '16384', local_gb: '500' }, [], []],
  [
    [8, 16_384, 500, 0, 0],
    { cpus: 8.5, memory_mb: -1, local_gb: null },
    ['RamFilter', 'DiskFilter', 'CoreFilter'],
    ['ExactRamFilter', 'ExactDiskFilter', 'ExactCoreFilter'],
  ],
];

describe('exact matching', () => {
  it.each(golden)('of flavor %o and node %o', ([vcpus, ram, disk, ephemeral, swap], properties, atLeast, exactly) => {
    const node = aCandidate({ properties });
    const flavor = aFlavor({ vcpus, ram, disk, ephemeral, swap });
    expect(refusing(node, aWish({ flavor }))).toEqual(atLeast);
    expect(refusing(node, aWish({ flavor }, true))).toEqual(exactly);
  });

  it.each([{ instance_uuid: uuidOf(9) }, { maintenance: true }])('never reaches a node that is in use: %o', (more) => {
    for (const exact of [false, true]) {
      expect(judge(aCandidate(more), aWish({}, exact))).toMatchObject({ filter: 'ComputeFilter' });
    }
  });

  it('says both sizes', () => {
    const node = aCandidate({ properties: { cpus: 8, memory_mb: 131_072, local_gb: 500 } });
    expect(judge(node, aWish({}, true))).toEqual({
      filter: 'ExactRamFilter',
      detail: 'flavor 16384 MB, node 131072 MB',
    });
  });

  it('is nothing to flavors that name a class', () => {
    const wish = aWish({ flavor: aFlavor({ ram: 1, extra_specs: { 'resources:CUSTOM_GOLD': '1' } }) }, true);
    expect(judge(aCandidate({ resource_class: 'gold', properties: {} }), wish)).toBeUndefined();
  });

  it('keeps a subset of what matching by at least keeps', () => {
    const size = fc.integer({ min: 0, max: 3 });
    const properties = fc.record({ cpus: size, memory_mb: size, local_gb: size });
    const sizes = fc.record({
      vcpus: fc.integer({ min: 1, max: 3 }),
      ram: size,
      disk: size,
      ephemeral: size,
      swap: fc.constantFrom(0, 1024),
    });
    fc.assert(
      fc.property(properties, sizes, (has, asks) => {
        const node = aCandidate({ properties: has });
        const flavor = aFlavor(asks);
        const [exactly, atLeast] = [judge(node, aWish({ flavor }, true)), judge(node, aWish({ flavor }))];
        expect(exactly ?? atLeast).toEqual(exactly);
      }),
    );
  });
});

/** Each filter: a node that it refuses, for what wish, and what it says. */
const refusals: Readonly<
  Record<
    Exclude<FilterName, `${string}${'Ram' | 'Disk' | 'Core'}Filter`>,
    readonly (readonly [Parameters<typeof aCandidate>[0], ReturnType<typeof aWish>, string])[]
  >
> = {
  RetryFilter: [[{ uuid: uuidOf(3) }, aWish({ tried: [uuidOf(3)] }), 'was tried before']],
  ComputeFilter: [
    [{ instance_uuid: uuidOf(9) }, aWish(), `has instance ${uuidOf(9)}`],
    [{ provision_state: 'cleaning' }, aWish(), 'is cleaning'],
    [{ maintenance: true }, aWish(), 'is in maintenance'],
    [{ driver: 'ipmi' }, aWish(), 'its driver ipmi is only shown here'],
    [{ power_state: null }, aWish(), 'its power state is not known'],
    [{ power_state: 'error' }, aWish(), 'its power state is error'],
  ],
  AvailabilityZoneFilter: [
    [{ conductor_group: 'east' }, aWish({ zone: 'west' }), 'is in zone east'],
    [{ conductor_group: '' }, aWish({ zone: 'west' }), 'is in zone nova'],
    [{ conductor_group: 'east' }, aWish({ zone: 'nova' }), 'is in zone east'],
  ],
  ResourceClassFilter: [
    [
      { resource_class: 'silver' },
      wishFor({ 'resources:CUSTOM_GOLD': '1' }),
      'flavor asks for 1 of CUSTOM_GOLD, node has 1 of CUSTOM_SILVER',
    ],
    [{}, wishFor({ 'resources:CUSTOM_GOLD': '1' }), 'flavor asks for 1 of CUSTOM_GOLD, node has no class'],
    [
      { resource_class: 'gold' },
      wishFor({ 'resources:CUSTOM_GOLD': '2' }),
      'flavor asks for 2 of CUSTOM_GOLD, node has 1 of CUSTOM_GOLD',
    ],
    [
      { resource_class: 'gold' },
      wishFor({ 'resources:CUSTOM_GOLD': '1', 'resources:VCPU': '8' }),
      'flavor asks for 8 of VCPU, node has 1 of CUSTOM_GOLD',
    ],
  ],
  TraitsFilter: [
    [
      { traits: ['CUSTOM_A'] },
      wishFor({ 'trait:CUSTOM_B': 'required', 'trait1:CUSTOM_C': 'required' }),
      'lacks CUSTOM_B, CUSTOM_C',
    ],
    [{ traits: ['CUSTOM_A'] }, wishFor({ 'trait:CUSTOM_A': 'forbidden' }), 'has CUSTOM_A'],
    [{}, aWish({ image: { 'trait:HW_GPU': 'required' } }), 'lacks HW_GPU'],
    [{}, aWish({ image: { traits_required: ['CUSTOM_X'] } }), 'lacks CUSTOM_X'],
  ],
  ComputeCapabilitiesFilter: [
    [
      { properties: { capabilities: 'boot_mode:bios' } },
      wishFor({ 'capabilities:boot_mode': 'uefi' }),
      'flavor asks for boot_mode "uefi", node has "bios"',
    ],
    [{}, wishFor({ 'capabilities:boot_mode': 'uefi' }), 'flavor asks for boot_mode "uefi", node has none'],
    [
      { properties: { cpu_arch: 'aarch64' } },
      wishFor({ cpu_arch: 'x86_64' }),
      'flavor asks for cpu_arch "x86_64", node has "aarch64"',
    ],
    [{ properties: { cpu_arch: 'amd64' } }, wishFor({ 'baremetal:cpu_arch': 'x86_64' }), 'node has "amd64"'],
    [{}, wishFor({ 'capabilities:cpu_arch': 'x86_64' }), 'node has none'],
  ],
  ImagePropertiesFilter: [
    [
      { properties: { cpu_arch: 'x86_64' } },
      aWish({ image: { architecture: 'aarch64' } }),
      'image is for aarch64, node is x86_64',
    ],
    [
      { properties: { cpu_arch: 'arm64' } },
      aWish({ image: { hw_architecture: 'x86_64', architecture: 'arm64' } }),
      'image is for x86_64',
    ],
  ],
  ServerGroupFilter: [[{}, aWish({ policy: 'affinity' }), 'a machine holds one server']],
};

describe('a filter', () => {
  const cases = Object.entries(refusals).flatMap(([name, rows]) => rows.map((row) => [name, ...row] as const));
  it.each(cases)('%s refuses %o', (name, more, wish, words) => {
    expect(filters[name as FilterName].judge(aCandidate(more), wish)).toContain(words);
  });

  it.each<readonly [string, Parameters<typeof aCandidate>[0], ReturnType<typeof aWish>]>([
    [
      'a node of the class, by whatever name',
      { resource_class: 'baremetal.with-GPU' },
      wishFor({
        'resources:CUSTOM_BAREMETAL_WITH_GPU': '1',
        'resources:VCPU': '0',
        'resources:MEMORY_MB': '0',
        'resources:DISK_GB': '0',
      }),
    ],
    ['a node of the zone', { conductor_group: 'west' }, aWish({ zone: 'West' })],
    ['a node without a group in the zone nova', {}, aWish({ zone: 'nova' })],
    [
      'all traits, and none that is forbidden',
      { traits: ['CUSTOM_A', 'CUSTOM_Z'] },
      wishFor({ 'trait:CUSTOM_A': 'required', 'trait:CUSTOM_B': 'forbidden' }),
    ],
    [
      'capabilities of any form',
      { properties: { ...aCandidate().properties, capabilities: { raid: { level: 1 }, gpu: true } } },
      wishFor({ 'capabilities:raid:level': '== 1', 'capabilities:gpu': 'true' }),
    ],
    [
      'broken capabilities beside good ones',
      { properties: { ...aCandidate().properties, capabilities: 'x,:y,z:, boot_mode : uefi ,' } },
      wishFor({ 'capabilities:boot_mode': 'uefi' }),
    ],
    [
      'what Nova knows of a host',
      {},
      wishFor({ 'capabilities:free_ram_mb': '>= 16384', 'capabilities:hypervisor_type': 's== ironic' }),
    ],
    [
      'a node of which the architecture is not known',
      {},
      wishFor({ cpu_arch: 'x86_64' }, { image: { architecture: 'x86_64' } }),
    ],
    [
      'an image by another name of the architecture',
      { properties: { ...aCandidate().properties, cpu_arch: 'x86_64' } },
      aWish({ image: { architecture: 'AMD64' } }),
    ],
    [
      'scopes of others, and un-scoped words that the node does not have',
      {},
      wishFor({ 'hw:cpu_policy': 'dedicated', unheard: 'of' }),
    ],
    ['the policies that a machine honours by itself', {}, aWish({ policy: 'anti-affinity' })],
    ['a locked node, for its lock may be gone soon', { reservation: 'run' }, aWish()],
  ])('lets through %s', (_what, more, wish) => {
    expect(refusing(aCandidate(more), wish)).toEqual([]);
  });

  it('that refuses first is the one that is told', () => {
    const node = aCandidate({ resource_class: 'silver', maintenance: true, conductor_group: 'east' });
    const wish = wishFor({ 'resources:CUSTOM_GOLD': '1', 'trait:CUSTOM_A': 'required' }, { zone: 'west' });
    expect(refusing(node, wish)).toEqual([
      'ComputeFilter',
      'AvailabilityZoneFilter',
      'ResourceClassFilter',
      'TraitsFilter',
    ]);
    expect(judge(node, wish)?.filter).toBe('ComputeFilter');
  });

  it('of the class lets through a node if and only if flavor and node mean the same', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 80 }),
        fc.string({ minLength: 1, maxLength: 80 }),
        (own, asked) => {
          const wish = wishFor({ [`resources:${placementClass(asked)}`]: '1' });
          const passes = judge(aCandidate({ resource_class: own }), wish) === undefined;
          expect(passes).toBe(placementClass(own) === placementClass(asked));
        },
      ),
    );
  });

  it('never fails, whatever stands in the properties', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('cpus', 'memory_mb', 'capabilities', 'cpu_arch'), fc.jsonValue()),
        (properties) => {
          const wish = wishFor({ 'capabilities:a:b': '<or> x', cpu_arch: 'x' });
          expect(refusing(aCandidate({ properties }), wish)).toBeInstanceOf(Array);
        },
      ),
    );
  });
});
