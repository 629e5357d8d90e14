/** Arithmetic of addresses, compared with what Node knows of them. */
import { BlockList, isIP } from 'node:net';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  contains,
  formatAddress,
  formatCidr,
  ofMac,
  overlap,
  parseAddress,
  parseCidr,
  usableOf,
  type Address,
} from '../../../../layers/domain/network/addresses.ts';

const version = fc.constantFrom(4 as const, 6 as const);
const widths = { 4: 32, 6: 128 } as const;
/** Few bits set, so that there are zeros to leave out. */
const sparse = fc
  .array(fc.nat(127), { maxLength: 6 })
  .map((bits) => bits.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n));
const address: fc.Arbitrary<Address> = version.chain((v) =>
  fc
    .oneof(fc.bigInt({ min: 0n, max: 2n ** BigInt(widths[v]) - 1n }), sparse)
    .map((value) => ({ version: v, value: value % 2n ** BigInt(widths[v]) })),
);
const cidr = fc.tuple(address, fc.nat(128)).map(([{ version: v, value }, length]) => {
  const prefix = length % (widths[v] + 1);
  const size = 2n ** BigInt(widths[v] - prefix);
  return parseCidr(`${formatAddress({ version: v, value: value - (value % size) })}/${prefix}`)!;
});

describe('the text of an address', () => {
  it('means the address that was written', () => {
    fc.assert(
      fc.property(address, (one) => {
        expect(parseAddress(formatAddress(one))).toEqual(one);
      }),
    );
  });

  it('of IPv6 is the canonical one', () => {
    fc.assert(
      fc.property(address, (one) => {
        fc.pre(one.version === 6);
        const text = formatAddress(one);
        expect(`[${text}]`).toBe(new URL(`http://[${text}]/`).hostname);
      }),
    );
  });

  it.each([
    ['2001:DB8:0:0:0::1', '2001:db8::1'],
    ['::ffff:192.168.1.30', '::ffff:c0a8:11e'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:0:0:3:4', '1::2:0:0:3:4'],
    ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['10:0:0:10:0:0:0:100', '10:0:0:10::100'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s is kept as %s', (written, kept) => {
    expect(formatAddress(parseAddress(written)!)).toBe(kept);
  });

  it('is none if Node says so', () => {
    const piece = fc.oneof(
      fc.constantFrom(':', '::', '.', '0', '255', '256', '01', 'ffff', '10000', 'g', ' '),
      fc.ipV6(),
      fc.ipV4(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        expect([text, parseAddress(text)?.version ?? 0]).toEqual([text, isIP(text)]);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['', 'x', '10.0.0', '10.0.0.256', '010.0.0.1', '10.0.0.1/24', 'fe80::1%eth0', '1::2::3', ' 10.0.0.1'])(
    '%j is none',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});

describe('a prefix', () => {
  it('is written as it was read', () => {
    fc.assert(
      fc.property(cidr, (one) => {
        expect(parseCidr(formatCidr(one))).toEqual(one);
      }),
    );
  });

  it('has the addresses that Node says it has', () => {
    fc.assert(
      fc.property(cidr, address, (one, other) => {
        fc.pre(one.version === other.version);
        const family = one.version === 4 ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(formatAddress({ version: one.version, value: one.first }), one.prefix, family);
        for (const value of [other.value, one.first, one.last]) {
          const text = formatAddress({ version: one.version, value });
          expect(contains(one, { version: one.version, value })).toBe(list.check(text, family));
        }
      }),
    );
  });

  it.each(['', '10.0.0.0', '10.0.0.0/33', '10.0.0.5/24', 'fd00::/129', 'fd00::1/64', '10.0.0.0/-1', '10.0.0.0/24/8'])(
    '%j is none',
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );

  it('overlaps another one only if one holds the other', () => {
    fc.assert(
      fc.property(cidr, cidr, (one, other) => {
        const ends = (range: typeof one) => [
          { version: range.version, value: range.first },
          { version: range.version, value: range.last },
        ];
        const holds = (a: typeof one, b: typeof one) => ends(b).every((end) => contains(a, end));
        expect(overlap(one, other)).toBe(holds(one, other) || holds(other, one));
      }),
    );
  });

  it.each([
    ['10.0.0.0/24', '10.0.0.1', '10.0.0.254'],
    ['10.0.0.0/30', '10.0.0.1', '10.0.0.2'],
    ['10.0.0.0/31', '10.0.0.0', '10.0.0.1'],
    ['10.0.0.7/32', '10.0.0.7', '10.0.0.7'],
    ['0.0.0.0/0', '0.0.0.1', '255.255.255.254'],
    ['fd00::/64', 'fd00::1', 'fd00::ffff:ffff:ffff:ffff'],
    ['fd00::/127', 'fd00::1', 'fd00::1'],
    ['fd00::1/128', 'fd00::1', 'fd00::1'],
  ])('of %s has interfaces from %s to %s', (text, first, last) => {
    const one = parseCidr(text)!;
    const usable = usableOf(one);
    expect(formatAddress({ version: usable.version, value: usable.first })).toBe(first);
    expect(formatAddress({ version: usable.version, value: usable.last })).toBe(last);
  });
});

describe('the address that a machine makes itself', () => {
  it.each([
    ['2001:db8::/64', '52:54:00:aa:00:01', '2001:db8::5054:ff:feaa:1'],
    ['fd00:1:2:3::/64', 'fa:16:3e:00:00:01', 'fd00:1:2:3:f816:3eff:fe00:1'],
    ['fd00::/64', '00:00:00:00:00:00', 'fd00::200:ff:fe00:0'],
  ])('in %s with the card %s is %s', (prefix, mac, made) => {
    expect(formatAddress(ofMac(parseCidr(prefix)!, mac))).toBe(made);
  });
});
