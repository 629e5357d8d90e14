/** The ports of a server, as those see them who build what its machine is told (guest-metadata.md 2). */
import { isFault } from '../domain/fault.ts';
import { PortInUse, ResourceNotFound } from '../domain/network/faults.ts';
import { isBound } from '../domain/network/port.ts';
import { rangeOfSubnet } from '../domain/network/subnet.ts';
import type { FixedIp } from '../guest/metadata.ts';
import type { Subnet, Vif } from '../guest/network.ts';
import type { Table } from '../platform/table.ts';
import { floatingIpsOf } from './floating-ips.ts';
import {
  networkKinds,
  type StoredFloatingIp,
  type StoredNetwork,
  type StoredPort,
  type StoredSubnet,
} from './kinds/networks.ts';
import { createPort, type NewPort, removePort, unbindPort } from './network-ports.ts';
import { findNetwork, subnetsOf } from './networks.ts';
import type { Needs } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { eachRecord, uuidsIn } from './records/list.ts';

/** The ports that a server has, in the order in which they were made. */
export const portsOfServer = async (table: Table, server: string): Promise<StoredPort[]> => {
  const kind = networkKinds.network_port;
  const uuids = await uuidsIn(table, kind, [{ index: 'device_id', value: server }]);
  const found = await Promise.all(uuids.map(async (uuid) => readRecord(table, kind, uuid)));
  return found.filter((port) => port !== undefined && port.device_id === server && isBound(port)) as StoredPort[];
};

/** Whether a project can make ports on a network: on its own, and on those that are shared with all. */
const isFor = ({ project_id: owner, shared }: StoredNetwork, project: string): boolean => owner === project || shared;

/** The networks that a project can make ports on. */
export const networksFor = async (table: Table, project: string): Promise<StoredNetwork[]> => {
  const found: StoredNetwork[] = [];
  const lookups = [
    { index: 'project_id', value: project },
    { index: 'public', value: '' },
  ];
  await eachRecord(table, networkKinds.network, { lookups }, (network) => {
    if (isFor(network, project)) found.push(network);
  });
  return found;
};

/**
 * Makes a port for a server, on a network that its project can use. Asked again with the same UUID it is the same port.
 * Throws what `createPort` throws, NetworkNotFound (404) also for a network of somebody else.
 */
export const provideServerPort = async (
  needs: Needs,
  wanted: NewPort & { readonly uuid: string },
): Promise<StoredPort> => {
  const { uuid, project_id, network_id } = wanted;
  const permit = (network: StoredNetwork) => {
    if (!isFor(network, project_id)) throw ResourceNotFound('network', network_id);
  };
  const mine = (port: StoredPort | undefined) => port?.project_id === project_id && port.network_id === network_id;
  const before = await readRecord(needs.table, networkKinds.network_port, uuid);
  if (before && mine(before)) return before;
  return createPort(needs, wanted, permit).catch(async (error: unknown) => {
    // Somebody else does the same just now: it is done once.
    const found = await readRecord(needs.table, networkKinds.network_port, uuid);
    if (found && mine(found)) return found;
    throw error;
  });
};

const refuseOther =
  (server: string) =>
  ({ uuid, network_id: network, device_id: device }: StoredPort): void => {
    if (device !== '' && device !== server) throw PortInUse(uuid, network, device);
  };

/**
 * Takes back a port from a server; one that was `made` for it goes. One that is gone, and one that another server has, is
 * left as it is, so that it may be asked again.
 */
export const giveBackPort = async (
  needs: Needs,
  { port, server, made }: { readonly port: string; readonly server: string; readonly made: boolean },
): Promise<void> => {
  const end = made ? removePort(needs, port, refuseOther(server)) : unbindPort(needs, port, server);
  await end.catch((error: unknown) => {
    if (!isFault(error) || (error.code !== 404 && error.name !== 'PortInUse')) throw error;
  });
};

const version = (text: string): 4 | 6 => (text.includes(':') ? 6 : 4);

const fixedIp = (address: string, floating: readonly StoredFloatingIp[]): FixedIp => ({
  address,
  type: 'fixed',
  version: version(address),
  floating_ips: floating
    .filter(({ fixed_ip_address: stands }) => stands === address)
    .map(({ floating_ip_address: ip }) => ({ address: ip, type: 'floating', version: version(ip) })),
});

const subnetOf = (
  subnet: StoredSubnet,
  { fixed_ips: ips }: StoredPort,
  floating: readonly StoredFloatingIp[],
): Subnet => ({
  cidr: subnet.cidr,
  version: rangeOfSubnet(subnet).version,
  gateway: subnet.gateway_ip,
  dns: subnet.dns_nameservers,
  routes: subnet.host_routes.map(({ destination, nexthop }) => ({ cidr: destination, gateway: nexthop })),
  // Nobody here serves DHCP, so that machines are told their addresses.
  dhcp: false,
  ipv6_address_mode: subnet.ipv6_address_mode,
  ips: ips.filter(({ subnet_id: id }) => id === subnet.uuid).map(({ ip_address: ip }) => fixedIp(ip, floating)),
});

/** A port as a VIF: its network and, of its subnets, those that it has addresses of. Throws NetworkNotFound (404). */
export const vifOf = async (table: Table, port: StoredPort): Promise<Vif> => {
  const network = await findNetwork(table, port.network_id);
  const floating = await floatingIpsOf(table, port.uuid);
  const subnets = (await subnetsOf(table, network)).filter(({ uuid }) =>
    port.fixed_ips.some(({ subnet_id: id }) => id === uuid),
  );
  return {
    id: port.uuid,
    address: port.mac_address,
    network: { id: network.uuid, mtu: network.mtu },
    subnets: subnets.map((subnet) => subnetOf(subnet, port, floating)),
  };
};
