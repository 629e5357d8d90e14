/** The pools of a subnet: the addresses that are given out to who asks for none in particular. */
import {
  contains,
  formatAddress,
  formatCidr,
  overlap,
  parseAddress,
  usableOf,
  type Address,
  type Cidr,
  type Range,
} from './addresses.ts';
import {
  GatewayConflictWithAllocationPools,
  InvalidAllocationPool,
  OutOfBoundsAllocationPool,
  OverlappingAllocationPools,
} from './faults.ts';

/** As it is stored and shown; both ends are in it. */
export type Pool = { readonly start: string; readonly end: string };

const toPool = ({ version, first, last }: Range): Pool => ({
  start: formatAddress({ version, value: first }),
  end: formatAddress({ version, value: last }),
});

const spell = (range: Range): string => {
  const { start, end } = toPool(range);
  return `${start}-${end}`;
};

/** What is left of a range without an address. */
export const without = (range: Range, address: Address): Range[] => {
  if (!contains(range, address)) return [range];
  const { value } = address;
  const left = [
    { ...range, last: value - 1n },
    { ...range, first: value + 1n },
  ];
  return left.filter(({ first, last }) => first <= last);
};

/** The first address that an interface may have, for the gateway; undefined where a gateway would leave no other. */
export const defaultGateway = (cidr: Cidr): Address | undefined => {
  const { version, first, last } = usableOf(cidr);
  return first === last ? undefined : { version, value: first };
};

/** All that interfaces may have, but the gateway. */
export const defaultPools = (cidr: Cidr, gateway: Address | undefined): Pool[] => {
  const usable = usableOf(cidr);
  return (gateway ? without(usable, gateway) : [usable]).map(toPool);
};

/** A pool as numbers. Throws InvalidAllocationPool (400) for one that is none, or ends before it starts. */
const rangeOf = ({ start, end }: Pool): Range => {
  const [from, to] = [parseAddress(start), parseAddress(end)];
  if (!from || !to || from.version !== to.version || from.value > to.value) {
    throw InvalidAllocationPool(`${start}-${end}`);
  }
  return { version: from.version, first: from.value, last: to.value };
};

/** The pools of a stored subnet as numbers. */
export const rangesOf = (pools: readonly Pool[]): Range[] => pools.map(rangeOf);

const checkBounds = (cidr: Cidr, range: Range): void => {
  const usable = usableOf(cidr);
  const { version, first, last } = range;
  if (contains(usable, { version, value: first }) && contains(usable, { version, value: last })) return;
  throw OutOfBoundsAllocationPool(spell(range), formatCidr(cidr));
};

/** Neighbours are enough: they are in order. */
const checkApart = (cidr: Cidr, ranges: readonly Range[]): void => {
  ranges.forEach((range, at) => {
    const next = ranges[at + 1];
    if (next && overlap(range, next)) throw OverlappingAllocationPools([spell(range), spell(next)], formatCidr(cidr));
  });
};

/**
 * Refuses a gateway that is one of a pool: it would be given to somebody. Throws GatewayConflictWithAllocationPools
 * (409).
 */
export const checkGatewayOutside = (pools: readonly Pool[], gateway: Address | undefined): void => {
  if (!gateway) return;
  const range = rangesOf(pools).find((one) => contains(one, gateway));
  if (range) throw GatewayConflictWithAllocationPools(formatAddress(gateway), spell(range));
};

/**
 * Pools as they are stored: in order, their texts canonical. Throws InvalidAllocationPool (400),
 * OutOfBoundsAllocationPool (400) for one that is not within what interfaces may have, OverlappingAllocationPools (409).
 */
export const readPools = (cidr: Cidr, given: readonly Pool[]): Pool[] => {
  const ranges = rangesOf(given).toSorted((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)));
  for (const range of ranges) checkBounds(cidr, range);
  checkApart(cidr, ranges);
  return ranges.map(toPool);
};
