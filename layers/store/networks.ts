/** Networks: made, changed and removed as what is on them lets it. */
import { Fault, isFault } from '../domain/fault.ts';
import { ExternalNetworkInUse, NetworkInUse, ResourceNotFound } from '../domain/network/faults.ts';
import { checkSegment, isPublic, type Network, segmentOf } from '../domain/network/network.ts';
import type { Table } from '../platform/table.ts';
import { absent } from '../platform/table.ts';
import { changeLocks, closeDoors, openDoors, seeDoors } from './doors.ts';
import { newRecord } from './kinds/form.ts';
import { guardKey } from './kinds/key.ts';
import { networkKinds, type StoredNetwork, type StoredSubnet } from './kinds/networks.ts';
import { oneLess, oneMore } from './quotas.ts';
import { changeRecord, createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { eachRecord, isAny } from './records/list.ts';
import { beside, type Beside, type Planned } from './records/plan.ts';
import { removeSubnet } from './subnets.ts';

const kind = networkKinds.network;
const { network_port: ports, floatingip: floatingIps } = networkKinds;

/** The network of this UUID. Throws NetworkNotFound (404). */
export const findNetwork = async (table: Table, uuid: string): Promise<StoredNetwork> => {
  const found = await readRecord(table, kind, uuid);
  if (!found) throw ResourceNotFound('network', uuid);
  return found;
};

/** The subnets of a network, in the order in which they were made; without one that is removed just now. */
export const subnetsOf = async (table: Table, { subnets }: Pick<Network, 'subnets'>): Promise<StoredSubnet[]> => {
  const found = await Promise.all(subnets.map(async (uuid) => readRecord(table, networkKinds.subnet, uuid)));
  return found.filter((one) => one !== undefined);
};

const segmentKey = (segment: string) => guardKey('network_segment', segment);

const SegmentInUse = (segment: string) => {
  const [type, physical, number] = segment.split('#');
  const where = physical ? ` on physical network ${physical}` : '';
  const name = type === 'vlan' ? 'VlanIdInUse' : type === 'flat' ? 'FlatNetworkInUse' : 'TunnelIdInUse';
  return new Fault(name, 409, `Unable to create the network. The ${type} ${number}${where} is in use.`);
};

/** No two networks are the same in the equipment. */
const segmentGuard = (record: StoredNetwork): Planned[] => {
  const segment = segmentOf(record);
  if (segment === undefined) return [];
  const put = { ...segmentKey(segment), network: record.uuid };
  return [{ write: { put, when: [absent] }, refused: () => SegmentInUse(segment) }];
};

/** Makes a network. Throws InvalidInput (400), OverQuota (409), VlanIdInUse (409) and its like. */
export const createNetwork = async (needs: Needs, values: Partial<Network>): Promise<StoredNetwork> => {
  const made = newRecord(needs, kind, values);
  const record = { ...made, public: isPublic(made) };
  checkSegment(record);
  return createRecord(needs, kind, record, async () => {
    const { slot, write } = await oneMore(needs, 'network', record.project_id, record.uuid);
    const also = [write, ...openDoors(kind.name, record.uuid)];
    return { set: { slot }, also, beside: [() => segmentGuard(record)] };
  });
};

/** Whether another project than its own has a port on the network. */
const isUsedByOthers = async (table: Table, { uuid, project_id: own }: StoredNetwork): Promise<boolean> => {
  let others = false;
  const lookups = [{ index: 'network_id', value: uuid }];
  await eachRecord(table, ports, { lookups }, ({ project_id: project }) => (others ||= project !== own));
  return others;
};

const InvalidSharedSetting = (uuid: string) => {
  const text = `Unable to reconfigure sharing settings for network ${uuid}. Multiple projects are using it.`;
  return new Fault('InvalidSharedSetting', 409, text);
};

/** Refuses to take a network from who uses it. Throws InvalidSharedSetting (409), ExternalNetworkInUse (409). */
const checkTaken = async (table: Table, before: StoredNetwork, set: Partial<Network>): Promise<void> => {
  const ends = (name: 'shared' | 'router:external') => before[name] && set[name] === false;
  if (ends('shared') && (await isUsedByOthers(table, before))) throw InvalidSharedSetting(before.uuid);
  const lookup = { index: 'floating_network_id', value: before.uuid };
  if (ends('router:external') && (await isAny(table, floatingIps, lookup))) throw ExternalNetworkInUse(before.uuid);
};

/** Its subnets are seen by whom it is seen by. */
const following = async (table: Table, before: StoredNetwork, open: boolean): Promise<Beside[]> => {
  if (before.public === open) return [];
  const subnets = await subnetsOf(table, before);
  return subnets.map((one) => beside(networkKinds.subnet, one, { set: { public: open } }));
};

/**
 * Changes a network; `permit` refuses by throwing. Throws NotFound (404), InvalidSharedSetting (409), ExternalNetworkInUse
 * (409).
 */
export const changeNetwork = async (
  needs: Needs,
  uuid: string,
  set: Partial<Network>,
  permit: (before: StoredNetwork) => void,
): Promise<StoredNetwork> => {
  const { after } = await changeRecord(needs, kind, uuid, async (before) => {
    permit(before);
    const narrower = set.shared === false || set['router:external'] === false;
    const doors = narrower ? await seeDoors(needs.table, kind.name, uuid) : [];
    await checkTaken(needs.table, before, set);
    const followers = await following(needs.table, before, isPublic({ ...before, ...set }));
    return { set, also: changeLocks(doors, needs.ids.ulid()), beside: followers };
  });
  return after;
};

/** Throws NetworkInUse (409) while there is a port or a floating IP of the network. */
const refuseUsed = async (table: Table, uuid: string): Promise<void> => {
  if (await isAny(table, ports, { index: 'network_id', value: uuid })) throw NetworkInUse(uuid, 'ports');
  if (await isAny(table, floatingIps, { index: 'floating_network_id', value: uuid })) {
    throw NetworkInUse(uuid, 'floating IPs');
  }
};

/**
 * Removes a network with its subnets, unless something uses it: these go one by one, so that each stays whole. Throws
 * NotFound (404), NetworkInUse (409), also if somebody makes a subnet meanwhile, SubnetInUse (409).
 */
export const removeNetwork = async (needs: Needs, uuid: string): Promise<void> => {
  await refuseUsed(needs.table, uuid);
  const { subnets } = await findNetwork(needs.table, uuid);
  for (const subnet of subnets) {
    await removeSubnet(needs, subnet).catch((error: unknown) => {
      if (!isFault(error) || error.code !== 404) throw error;
    });
  }
  await removeRecord(needs, kind, uuid, async (before) => {
    if (before.subnets.length > 0) throw NetworkInUse(uuid, 'subnets');
    const doors = await seeDoors(needs.table, kind.name, uuid);
    await refuseUsed(needs.table, uuid);
    const segment = segmentOf(before);
    const guards = segment === undefined ? [] : [{ delete: segmentKey(segment) }];
    return { also: [...closeDoors(doors), ...guards, oneLess('network', before)] };
  });
};
