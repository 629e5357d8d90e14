/** The pools of subnets. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  contains,
  formatAddress,
  overlap,
  parseAddress,
  parseCidr,
  usableOf,
  type Cidr,
} from '../../../../layers/domain/network/addresses.ts';
import {
  checkGatewayOutside,
  defaultGateway,
  defaultPools,
  rangesOf,
  readPools,
  type Pool,
} from '../../../../layers/domain/network/pools.ts';

const cidr = fc
  .tuple(fc.constantFrom('10.20.0.0', 'fd00:20::'), fc.integer({ min: 0, max: 16 }))
  .map(([base, free]) => parseCidr(`${base}/${(base.includes(':') ? 128 : 32) - free}`)!);

const nth = ({ version, first }: Cidr, at: number) => formatAddress({ version, value: first + BigInt(at) });

/** Two ends somewhere around the subnet. */
const pool = (one: Cidr): fc.Arbitrary<Pool> =>
  fc.tuple(fc.nat(300), fc.nat(300)).map(([start, end]) => ({ start: nth(one, start), end: nth(one, end) }));

const withPools = cidr.chain((one) => fc.tuple(fc.constant(one), fc.array(pool(one), { maxLength: 4 })));

const ends = ({ start, end }: Pool) => [parseAddress(start)!, parseAddress(end)!] as const;

/** The rule, said in another way than the code has it. */
const verdict = (one: Cidr, given: readonly Pool[]): string => {
  const usable = usableOf(one);
  if (given.map(ends).some(([start, end]) => start.value > end.value)) return 'InvalidAllocationPool';
  if (given.flatMap(ends).some((end) => !contains(usable, end))) return 'OutOfBoundsAllocationPool';
  const ranges = rangesOf(given);
  const apart = ranges.every((a, at) => ranges.every((b, other) => at === other || !overlap(a, b)));
  return apart ? 'taken' : 'OverlappingAllocationPools';
};

const outcome = (run: () => Pool[]): Pool[] | string => {
  try {
    return run();
  } catch (error) {
    return (error as Error).name;
  }
};

describe('pools that nobody asked for', () => {
  it('are all that interfaces may have, but the gateway', () => {
    fc.assert(
      fc.property(cidr, fc.option(fc.nat(70_000), { nil: undefined }), (one, at) => {
        const gateway = at === undefined ? defaultGateway(one) : parseAddress(nth(one, at));
        const pools = rangesOf(defaultPools(one, gateway));
        const usable = usableOf(one);
        const outside = gateway && contains(usable, gateway) ? 1n : 0n;
        const count = pools.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
        expect(count).toBe(usable.last - usable.first + 1n - outside);
        expect(gateway && pools.some((range) => contains(range, gateway))).toBeFalsy();
        for (const { version, first, last } of pools) {
          expect(contains(usable, { version, value: first }) && contains(usable, { version, value: last })).toBe(true);
        }
      }),
    );
  });

  it.each([
    ['192.168.1.0/24', '192.168.1.1', [{ start: '192.168.1.2', end: '192.168.1.254' }]],
    ['10.0.0.0/31', '10.0.0.0', [{ start: '10.0.0.1', end: '10.0.0.1' }]],
    ['10.0.0.1/32', undefined, [{ start: '10.0.0.1', end: '10.0.0.1' }]],
    ['fd00::/64', 'fd00::1', [{ start: 'fd00::2', end: 'fd00::ffff:ffff:ffff:ffff' }]],
  ])('of %s are without %s', (text, gateway, pools) => {
    const one = parseCidr(text)!;
    const first = defaultGateway(one);
    expect(first && formatAddress(first)).toBe(gateway);
    expect(defaultPools(one, first)).toEqual(pools);
  });

  it('go around a gateway in their midst', () => {
    expect(defaultPools(parseCidr('10.0.0.0/29')!, parseAddress('10.0.0.3'))).toEqual([
      { start: '10.0.0.1', end: '10.0.0.2' },
      { start: '10.0.0.4', end: '10.0.0.6' },
    ]);
  });
});

describe('pools that somebody asked for', () => {
  it('are taken if they are within the subnet and apart from one another', () => {
    fc.assert(
      fc.property(withPools, ([one, given]) => {
        const read = outcome(() => readPools(one, given));
        expect(typeof read === 'string' ? read : 'taken').toBe(verdict(one, given));
        expect(typeof read === 'string' || given.every((pool) => read.some(({ start }) => start === pool.start))).toBe(
          true,
        );
      }),
    );
  });

  it('are put in order', () => {
    const pools = [
      { start: '10.0.0.20', end: '10.0.0.30' },
      { start: '10.0.0.2', end: '10.0.0.5' },
    ];
    expect(readPools(parseCidr('10.0.0.0/24')!, pools)).toEqual(pools.toReversed());
  });

  it.each([
    [{ start: '10.0.0.0', end: '10.0.0.5' }, 'OutOfBoundsAllocationPool'],
    [{ start: '10.0.0.5', end: '10.0.0.255' }, 'OutOfBoundsAllocationPool'],
    [{ start: '10.0.0.5', end: '10.0.1.5' }, 'OutOfBoundsAllocationPool'],
    [{ start: 'fd00::5', end: 'fd00::6' }, 'OutOfBoundsAllocationPool'],
    [{ start: '10.0.0.6', end: '10.0.0.5' }, 'InvalidAllocationPool'],
    [{ start: '10.0.0.5', end: 'fd00::6' }, 'InvalidAllocationPool'],
    [{ start: 'x', end: '10.0.0.5' }, 'InvalidAllocationPool'],
  ])('%j of 10.0.0.0/24 is refused: %s', (given, name) => {
    expect(outcome(() => readPools(parseCidr('10.0.0.0/24')!, [given]))).toBe(name);
  });

  it('may not hold the gateway', () => {
    const pools = [{ start: '10.0.0.2', end: '10.0.0.5' }];
    expect(() => checkGatewayOutside(pools, parseAddress('10.0.0.2'))).toThrow(
      expect.objectContaining({ name: 'GatewayConflictWithAllocationPools', code: 409 }),
    );
    expect(() => checkGatewayOutside(pools, parseAddress('10.0.0.6'))).not.toThrow();
    expect(() => checkGatewayOutside(pools, undefined)).not.toThrow();
  });
});
