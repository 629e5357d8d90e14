/**
 * Arithmetic of IPv4 and IPv6 addresses, as numbers. Texts of addresses are canonical everywhere: clients may write one
 * in several ways, of which each would be another guard (RFC 5952 for IPv6, no leading zeros for IPv4).
 */
import * as z from 'zod';

export type IpVersion = 4 | 6;

/** An address as a number below 2^32 or 2^128. */
export type Address = { readonly version: IpVersion; readonly value: bigint };

/** All addresses between two ends, both included. */
export type Range = { readonly version: IpVersion; readonly first: bigint; readonly last: bigint };

/** The addresses of a subnet; `prefix` is the count of bits that they share. */
export type Cidr = Range & { readonly prefix: number };

const widths = { 4: 32, 6: 128 } as const;

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** `::ffff:1.2.3.4` ends with an IPv4 address. */
const withoutDots = (text: string): string =>
  text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });

const groupsOfV6 = (text: string): string[] => {
  const [left = '', right] = withoutDots(text).split('::');
  const [before, after] = [groupsOf(left), groupsOf(right ?? '')];
  const zeros = right === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
};

const [v4, v6] = [z.ipv4(), z.ipv6()];

const versionOf = (text: string): IpVersion | undefined => {
  if (v4.safeParse(text).success) return 4;
  return v6.safeParse(text).success ? 6 : undefined;
};

/** The address that a text means; undefined if it is none, or names an interface (`fe80::1%eth0`). */
export const parseAddress = (text: string): Address | undefined => {
  const version = versionOf(text);
  if (version === 4) {
    return { version, value: text.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) };
  }
  if (version !== 6) return undefined;
  return { version, value: groupsOfV6(text).reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n) };
};

const digits = (value: bigint, count: number, base: bigint): bigint[] =>
  Array.from({ length: count }, (_, at) => (value / base ** BigInt(count - 1 - at)) % base);

/** The longest run of zero groups, the first of equals, becomes `::`; a single zero stays. */
const compress = (groups: readonly string[]): string => {
  const runs = [...groups.join(':').matchAll(/(?<![0-9a-f])0(?::0(?![0-9a-f]))+/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const run = runs.find(([one]) => one === longest)!;
  const all = groups.join(':');
  return `${all.slice(0, run.index).replace(/:$/, '')}::${all.slice(run.index + longest.length).replace(/^:/, '')}`;
};

/** An address as it is stored and shown. */
export const formatAddress = ({ version, value }: Address): string =>
  version === 4
    ? digits(value, 4, 256n).join('.')
    : compress(digits(value, 8, 65536n).map((group) => group.toString(16)));

/** The addresses of a prefix; undefined for what is none, and for one with bits set behind it (`10.0.0.5/24`). */
export const parseCidr = (text: string): Cidr | undefined => {
  const [, left = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(left);
  const prefix = Number(length);
  if (!address || length === '' || prefix > widths[address.version]) return undefined;
  const size = 1n << BigInt(widths[address.version] - prefix);
  if (address.value % size !== 0n) return undefined;
  return { version: address.version, first: address.value, last: address.value + size - 1n, prefix };
};

/** A prefix as it is stored and shown. */
export const formatCidr = ({ version, first, prefix }: Cidr): string =>
  `${formatAddress({ version, value: first })}/${prefix}`;

/** Whether an address is one of a range; one of the other version never is. */
export const contains = ({ version, first, last }: Range, address: Address): boolean =>
  address.version === version && first <= address.value && address.value <= last;

/** Whether two ranges have an address in common. */
export const overlap = (one: Range, other: Range): boolean =>
  one.version === other.version && one.first <= other.last && other.first <= one.last;

/**
 * The addresses of a subnet that interfaces may have: in IPv4 neither that of the network nor that of the broadcast, in
 * IPv6 not that of all its routers (RFC 4291 2.6.1). Links of two addresses and single ones use what they have (RFC
 * 3021).
 */
export const usableOf = ({ version, first, last }: Cidr): Range => {
  const size = last - first + 1n;
  if (size <= (version === 4 ? 2n : 1n)) return { version, first, last };
  return { version, first: first + 1n, last: version === 4 ? last - 1n : last };
};

/**
 * The address that a machine makes of its MAC address in a prefix of /64 (RFC 4291, appendix A): FF:FE in the middle, and
 * the bit turned that says who gave the MAC address.
 */
export const ofMac = ({ version, first }: Cidr, mac: string): Address => {
  const bytes = mac.split(':').map((byte) => BigInt(`0x${byte}`));
  const identifier = [bytes[0]! ^ 2n, ...bytes.slice(1, 3), 0xffn, 0xfen, ...bytes.slice(3)];
  return { version, value: first + identifier.reduce((sum, byte) => sum * 256n + byte, 0n) };
};
