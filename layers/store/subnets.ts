/** Subnets: no two of a network overlap, and none goes while somebody has an address of it. */
import { contains, formatCidr, overlap, parseAddress } from '../domain/network/addresses.ts';
import { GatewayIpInUse, InvalidInput, ResourceNotFound, SubnetInUse } from '../domain/network/faults.ts';
import { checkSubnet, rangeOfSubnet, type Subnet } from '../domain/network/subnet.ts';
import type { Table } from '../platform/table.ts';
import { isAddressFree, isSubnetInUse } from './addresses.ts';
import { changeLocks, seeDoors } from './doors.ts';
import { newRecord } from './kinds/form.ts';
import { networkKinds, type StoredNetwork, type StoredSubnet } from './kinds/networks.ts';
import { oneLess, oneMore } from './quotas.ts';
import { changeRecord, createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { beside, type Planned } from './records/plan.ts';

const kind = networkKinds.subnet;
const networks = networkKinds.network;

/** The subnet of this UUID. Throws SubnetNotFound (404). */
export const findSubnet = async (table: Table, uuid: string): Promise<StoredSubnet> => {
  const found = await readRecord(table, kind, uuid);
  if (!found) throw ResourceNotFound('subnet', uuid);
  return found;
};

/** Refuses a subnet that has addresses in common with another one of its network. Throws InvalidInput (400). */
const refuseOverlap = async (table: Table, { subnets }: StoredNetwork, record: StoredSubnet): Promise<void> => {
  const range = rangeOfSubnet(record);
  const others = await Promise.all(subnets.map(async (uuid) => readRecord(table, kind, uuid)));
  const other = others.find((one) => one && overlap(range, rangeOfSubnet(one)));
  if (!other) return;
  throw InvalidInput(
    `Requested subnet with cidr: ${formatCidr(range)} for network: ${record.network_id} overlaps with ${other.cidr}, subnet ${other.uuid}`,
  );
};

/**
 * Makes a subnet. Its network counts them, so that of two that overlap one is refused. Throws InvalidInput (400),
 * OverQuota (409), NetworkNotFound (404), and what `checkSubnet` throws.
 */
export const createSubnet = async (needs: Needs, values: Partial<Subnet>): Promise<StoredSubnet> => {
  const made = newRecord(needs, kind, values);
  const record = { ...made, allocation_pools: checkSubnet(made) };
  return createRecord(needs, kind, record, async () => {
    const network = await readRecord(needs.table, networks, record.network_id);
    if (!network) throw ResourceNotFound('network', record.network_id);
    await refuseOverlap(needs.table, network, record);
    const { slot, write } = await oneMore(needs, 'subnet', record.project_id, record.uuid);
    const counted = beside(networks, network, { set: { subnets: [...network.subnets, record.uuid] } });
    return { set: { slot, public: network.public }, also: [write], beside: [counted] };
  });
};

/** A gateway that is an address of the subnet must not be somebody else's. */
const gatewayFree = (before: StoredSubnet, { gateway_ip: gateway }: Subnet): Planned[] => {
  if (gateway === null || gateway === before.gateway_ip) return [];
  if (!contains(rangeOfSubnet(before), parseAddress(gateway)!)) return [];
  const write = isAddressFree({ subnet_id: before.uuid, ip_address: gateway });
  return [{ write, refused: () => GatewayIpInUse(gateway) }];
};

/**
 * Changes a subnet; `permit` refuses by throwing. Who has an address keeps it, also outside of new pools. Throws NotFound
 * (404), GatewayIpInUse (409), and what `checkSubnet` throws.
 */
export const changeSubnet = async (
  needs: Needs,
  uuid: string,
  set: Partial<Subnet>,
  permit: (before: StoredSubnet) => void,
): Promise<StoredSubnet> => {
  const { after } = await changeRecord(needs, kind, uuid, (before) => {
    permit(before);
    const next = { ...before, ...set };
    const allocation_pools = checkSubnet(next);
    return { set: { ...set, allocation_pools }, beside: [() => gatewayFree(before, next)] };
  });
  return after;
};

/** Removes a subnet of which nobody has an address. Throws NotFound (404), SubnetInUse (409). */
export const removeSubnet = async (needs: Needs, uuid: string): Promise<void> => {
  await removeRecord(needs, kind, uuid, async (before) => {
    // Who takes an address comes in by a door of the network.
    const doors = await seeDoors(needs.table, networks.name, before.network_id);
    const network = await readRecord(needs.table, networks, before.network_id);
    if (await isSubnetInUse(needs.table, before)) throw SubnetInUse(uuid);
    const subnets = network?.subnets.filter((one) => one !== uuid) ?? [];
    return {
      also: [...changeLocks(doors, needs.ids.ulid()), oneLess('subnet', before)],
      beside: network ? [beside(networks, network, { set: { subnets } })] : [],
    };
  });
};
