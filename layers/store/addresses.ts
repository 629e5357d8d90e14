/**
 * Which addresses a port or a floating IP gets. Who has an address is a place in the space of its subnet, so that it is
 * never given twice (`places.ts`).
 */
import {
  contains,
  formatAddress,
  ofMac,
  parseAddress,
  usableOf,
  type Address,
  type IpVersion,
} from '../domain/network/addresses.ts';
import {
  InvalidInput,
  InvalidIpForNetwork,
  InvalidIpForSubnet,
  IpAddressGenerationFailure,
} from '../domain/network/faults.ts';
import { rangesOf, without } from '../domain/network/pools.ts';
import type { AskedIp, FixedIp } from '../domain/network/port.ts';
import { isAutomatic, rangeOfSubnet } from '../domain/network/subnet.ts';
import type { Chance } from '../platform/platform.ts';
import type { Table, Write } from '../platform/table.ts';
import type { StoredSubnet } from './kinds/networks.ts';
import { findFree, freePlace, isAnyTaken, isFree, type Space, takePlace } from './places.ts';

type Needs = { readonly table: Table; readonly chance: Chance };

/** Where addresses come from. */
export type Source = { readonly network_id: string; readonly subnets: readonly StoredSubnet[] };

/** The same for a port, which has a MAC address. */
export type PortSource = Source & { readonly mac_address: string };

/** `asked`: it has to be this one; without that another would do as well. */
export type Chosen = FixedIp & { readonly asked: boolean };

const digits = { 4: 8, 6: 32 } as const;

const spaceOf = (subnet: string, version: IpVersion): Space => ({
  partition: `address#${subnet}`,
  digits: digits[version],
});

const placeOf = ({ subnet_id: subnet, ip_address: text }: FixedIp): [Space, bigint] => {
  const { version, value } = parseAddress(text)!;
  return [spaceOf(subnet, version), value];
};

/** The write that takes an address; refused if somebody has it. `holder`: the UUID of what has it then. */
export const takeAddress = (fixed: FixedIp, holder: string): Write => takePlace(...placeOf(fixed), holder);

/** The write that gives it back. */
export const freeAddress = (fixed: FixedIp): Write => freePlace(...placeOf(fixed));

/** The check that nobody has it. */
export const isAddressFree = (fixed: FixedIp): Write => isFree(...placeOf(fixed));

/** Whether anybody has an address of the subnet. */
export const isSubnetInUse = async (table: Table, { uuid }: Pick<StoredSubnet, 'uuid'>): Promise<boolean> =>
  isAnyTaken(table, spaceOf(uuid, 4));

/** A free address of the pools, but none of `except`; undefined if there is none. */
const anyOf = async (needs: Needs, subnet: StoredSubnet, except: readonly FixedIp[]): Promise<Address | undefined> => {
  const taken = except.filter((one) => one.subnet_id === subnet.uuid).map((one) => parseAddress(one.ip_address)!);
  const pools = taken.reduce(
    (left, address) => left.flatMap((range) => without(range, address)),
    rangesOf(subnet.allocation_pools),
  );
  const { version } = rangeOfSubnet(subnet);
  const value = await findFree(needs, spaceOf(subnet.uuid, version), pools);
  return value === undefined ? undefined : { version, value };
};

const chosen = ({ uuid }: StoredSubnet, address: Address, asked: boolean): Chosen => ({
  subnet_id: uuid,
  ip_address: formatAddress(address),
  asked,
});

/** The address that the machine makes itself, of the network card that it has. */
const ownMade = (subnet: StoredSubnet, mac: string): Chosen => chosen(subnet, ofMac(rangeOfSubnet(subnet), mac), true);

/**
 * An address of the first of these subnets that has one; undefined if there are no subnets. Throws
 * IpAddressGenerationFailure (409) if all of them are full.
 */
export const chooseAny = async (
  needs: Needs,
  { network_id: network, subnets }: Source,
  except: readonly FixedIp[] = [],
): Promise<Chosen | undefined> => {
  for (const subnet of subnets) {
    const address = await anyOf(needs, subnet, except);
    if (address) return chosen(subnet, address, false);
  }
  if (subnets.length > 0) throw IpAddressGenerationFailure(network);
  return undefined;
};

/** What a port gets that asks for nothing: an address of each version, and all that its machine makes itself. */
const chooseUsual = async (needs: Needs, { network_id, subnets, mac_address: mac }: PortSource): Promise<Chosen[]> => {
  const ofVersion = (version: IpVersion) =>
    subnets.filter((subnet) => subnet.ip_version === version && !isAutomatic(subnet));
  const any = [
    await chooseAny(needs, { network_id, subnets: ofVersion(4) }),
    await chooseAny(needs, { network_id, subnets: ofVersion(6) }),
  ];
  return [...any.filter((one) => one !== undefined), ...subnets.filter(isAutomatic).map((one) => ownMade(one, mac))];
};

/** The subnet that has what was asked for. Throws InvalidInput (400), InvalidIpForNetwork (400). */
const subnetFor = ({ network_id: network, subnets }: Source, asked: AskedIp): StoredSubnet => {
  const { subnet_id: id, ip_address: text } = asked;
  if (id !== undefined) {
    const named = subnets.find(({ uuid }) => uuid === id);
    if (!named) throw InvalidInput(`fixed_ips has subnet ${id}, which is not on network ${network}`);
    return named;
  }
  const address = parseAddress(text!)!;
  const holding = subnets.find((subnet) => contains(rangeOfSubnet(subnet), address));
  if (!holding) throw InvalidIpForNetwork(text!);
  return holding;
};

/** The very address that was asked for. Throws InvalidIpForSubnet (400), InvalidInput (400). */
export const chooseThis = (source: Source, asked: AskedIp & { readonly ip_address: string }): Chosen => {
  const subnet = subnetFor(source, asked);
  const address = parseAddress(asked.ip_address)!;
  if (!contains(usableOf(rangeOfSubnet(subnet)), address)) throw InvalidIpForSubnet(asked.ip_address);
  return chosen(subnet, address, true);
};

const chooseOne = async (
  needs: Needs,
  source: PortSource,
  asked: AskedIp,
  except: readonly FixedIp[],
): Promise<Chosen> => {
  const subnet = subnetFor(source, asked);
  const { ip_address: text } = asked;
  const own = isAutomatic(subnet) ? ownMade(subnet, source.mac_address) : undefined;
  if (own && text !== undefined && text !== own.ip_address) {
    throw InvalidInput(
      `IPv6 address ${text} is none to choose: machines on subnet ${subnet.uuid} make theirs themselves`,
    );
  }
  if (own) return own;
  if (text !== undefined) return chooseThis(source, { ...asked, ip_address: text });
  return (await chooseAny(needs, { network_id: source.network_id, subnets: [subnet] }, except))!;
};

const isSame = (one: FixedIp, other: FixedIp): boolean =>
  one.subnet_id === other.subnet_id && one.ip_address === other.ip_address;

/** One that the port has, for a wish that only names its subnet. */
const keptFor = ({ subnet_id: id, ip_address: text }: AskedIp, held: readonly FixedIp[]): FixedIp | undefined =>
  text === undefined ? held.find((one) => one.subnet_id === id) : undefined;

/**
 * The addresses of a port that asks for these; undefined: for nothing in particular. It keeps of those that it has
 * (`held`) what it asks for again. Throws InvalidInput (400), InvalidIpForNetwork (400), InvalidIpForSubnet (400),
 * IpAddressGenerationFailure (409).
 */
export const chooseAddresses = async (
  needs: Needs,
  source: PortSource,
  asked: readonly AskedIp[] | undefined,
  held: readonly FixedIp[] = [],
): Promise<Chosen[]> => {
  if (!asked) return chooseUsual(needs, source);
  const named = held.filter((one) => asked.some(({ ip_address: text }) => text === one.ip_address));
  const found: Chosen[] = [];
  for (const one of asked) {
    const others = held.filter((had) => ![...named, ...found].some((other) => isSame(had, other)));
    const kept = keptFor(one, others);
    found.push(kept ? { ...kept, asked: true } : await chooseOne(needs, source, one, [...held, ...found]));
  }
  const twice = found.find((one, at) => found.findIndex((other) => isSame(one, other)) !== at);
  if (twice) throw InvalidInput(`Duplicate IP address ${twice.ip_address} in fixed_ips`);
  return found;
};

/** The addresses of a port that gets another MAC address: those that its machine makes itself change with it. */
export const withMac = (subnets: readonly StoredSubnet[], held: readonly FixedIp[], mac: string): FixedIp[] =>
  held.map((one) => {
    const subnet = subnets.find(({ uuid }) => uuid === one.subnet_id);
    if (!subnet || !isAutomatic(subnet)) return one;
    const { subnet_id, ip_address } = ownMade(subnet, mac);
    return { subnet_id, ip_address };
  });
