/** The subnet as a table: addresses that ports on a network get, and what their machines are told of them. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { bool, uuid, word } from '../values.ts';
import { contains, formatAddress, parseAddress, parseCidr, usableOf, type Address, type Cidr } from './addresses.ts';
import { InvalidInput } from './faults.ts';
import { checkGatewayOutside, defaultGateway, defaultPools, readPools, type Pool } from './pools.ts';
import { standard } from './standard.ts';
import { cidr, ip, whole } from './values.ts';

const pools = z.array(z.strictObject({ start: ip, end: ip })).max(50);
const routes = z.array(z.strictObject({ destination: cidr, nexthop: ip })).max(20);
/** How an IPv6 address comes about: told by DHCP, or made by the machine of its MAC address. */
const mode = word(['slaac', 'dhcpv6-stateful', 'dhcpv6-stateless']);

export const subnet = fields({
  ...standard,
  network_id: { access: 'create', schema: uuid, required: true, filter: true, doc: 'The network it is of.' },
  ip_version: {
    access: 'create',
    schema: whole(4, 6).refine((version) => version !== 5, { error: 'must be 4 or 6' }),
    required: true,
    filter: true,
    doc: '4 or 6.',
  },
  cidr: { access: 'create', schema: cidr, required: true, filter: true, doc: 'All of its addresses.' },
  gateway_ip: {
    access: 'update',
    schema: ip,
    filter: true,
    doc: 'The default route; null: there is none. Default: the first address.',
  },
  allocation_pools: {
    access: 'update',
    schema: pools,
    default: [],
    doc: 'Addresses that are given to who asks for none in particular. Default: all but the gateway.',
  },
  dns_nameservers: {
    access: 'update',
    schema: z.array(ip).max(5),
    default: [],
    doc: 'What machines resolve names with.',
  },
  host_routes: { access: 'update', schema: routes, default: [], doc: 'Routes that machines have besides.' },
  enable_dhcp: {
    access: 'update',
    schema: bool,
    default: true,
    filter: true,
    doc: 'Whether somebody else serves its addresses by DHCP. Machines are told theirs in any case.',
  },
  ipv6_ra_mode: { access: 'create', schema: mode, filter: true, doc: 'What routers announce; nothing here announces.' },
  ipv6_address_mode: { access: 'create', schema: mode, filter: true, doc: 'How a machine comes by its address.' },
  service_types: { access: 'read', schema: z.array(z.string()), default: [], doc: 'Always empty.' },
  subnetpool_id: {
    access: 'read',
    schema: uuid,
    computed: true,
    filter: true,
    doc: 'Always null: there are no subnet pools.',
  },
  segment_id: {
    access: 'read',
    schema: uuid,
    computed: true,
    filter: true,
    doc: 'Always null: there are no segments.',
  },
});

export type Subnet = RecordOf<typeof subnet>;

/** Whether machines make their addresses themselves, of their MAC addresses. */
export const isAutomatic = ({ ipv6_address_mode: how }: Pick<Subnet, 'ipv6_address_mode'>): boolean =>
  how === 'slaac' || how === 'dhcpv6-stateless';

const prefixOfAutomatic = 64;

/** Refuses modes that do not go with the rest. Throws InvalidInput (400). */
const checkModes = (record: Subnet, { prefix }: Cidr): void => {
  const { ipv6_ra_mode: announced, ipv6_address_mode: how, ip_version: version, enable_dhcp: dhcp } = record;
  if (announced === null && how === null) return;
  if (version === 4) throw InvalidInput('ipv6_ra_mode and ipv6_address_mode are for IPv6 subnets only');
  if (!dhcp) throw InvalidInput('ipv6_ra_mode and ipv6_address_mode need enable_dhcp');
  if (announced !== null && how !== null && announced !== how) {
    throw InvalidInput('ipv6_ra_mode and ipv6_address_mode have to be the same if both are given');
  }
  if (isAutomatic(record) && prefix !== prefixOfAutomatic) {
    throw InvalidInput(`Invalid CIDR ${record.cidr} for IPv6 address mode: it needs a prefix of /${prefixOfAutomatic}`);
  }
};

/** Routers of IPv6 are often named by their link-local address. */
const linkLocal = parseCidr('fe80::/10')!;

/** Refuses a gateway of the other version, and one that no interface may have. Throws InvalidInput (400). */
const checkGateway = (range: Cidr, gateway: Address | undefined): void => {
  if (!gateway) return;
  const text = formatAddress(gateway);
  if (gateway.version !== range.version) throw InvalidInput(`gateway_ip ${text} does not match the ip_version`);
  if (contains(linkLocal, gateway)) return;
  if (contains(range, gateway) && !contains(usableOf(range), gateway)) {
    throw InvalidInput(`Gateway is not valid on subnet: ${text} is the address of the subnet itself, or of all in it`);
  }
  if (!contains(range, gateway)) throw InvalidInput(`Gateway is not valid on subnet: ${text} is outside`);
};

const checkVersions = ({ ip_version: version, host_routes: hostRoutes }: Subnet): void => {
  const strange = hostRoutes.find(
    ({ destination, nexthop }) =>
      parseCidr(destination)!.version !== version || parseAddress(nexthop)!.version !== version,
  );
  if (strange) throw InvalidInput(`The route to ${strange.destination} does not match the ip_version`);
};

/** The addresses of a stored subnet. */
export const rangeOfSubnet = ({ cidr: text }: Pick<Subnet, 'cidr'>): Cidr => parseCidr(text)!;

/** The gateway of a stored subnet. */
const gatewayOf = ({ gateway_ip: text }: Pick<Subnet, 'gateway_ip'>): Address | undefined =>
  text === null ? undefined : parseAddress(text);

/**
 * Refuses a subnet whose values do not go together, and gives back its pools in order. Throws InvalidInput (400) and what
 * `readPools` and `checkGatewayOutside` throw.
 */
export const checkSubnet = (record: Subnet): Pool[] => {
  const range = rangeOfSubnet(record);
  if (range.version !== record.ip_version) throw InvalidInput(`cidr ${record.cidr} does not match the ip_version`);
  checkModes(record, range);
  checkGateway(range, gatewayOf(record));
  checkVersions(record);
  const read = readPools(range, record.allocation_pools);
  checkGatewayOutside(read, gatewayOf(record));
  return read;
};

/** What was asked for; null is a gateway that is not wanted, and what is not there is chosen. */
type Asked = {
  readonly cidr: string;
  readonly gateway_ip?: string | null | undefined;
  readonly allocation_pools?: readonly Pool[] | null | undefined;
};

/** The gateway and the pools of a new subnet, chosen where nothing was asked for. */
export const completeSubnet = ({ cidr: text, gateway_ip: asked, allocation_pools: wanted }: Asked) => {
  const range = parseCidr(text)!;
  const gateway = asked === undefined ? defaultGateway(range) : gatewayOf({ gateway_ip: asked });
  return {
    gateway_ip: gateway ? formatAddress(gateway) : null,
    allocation_pools: wanted ? [...wanted] : defaultPools(range, gateway),
  };
};
