/**
 * Ports: places on networks. A port holds its addresses, and its MAC address on its network, in the transactions that
 * make, change and remove it; nobody else has one of them meanwhile, and nothing is left behind.
 */
import { Fault } from '../domain/fault.ts';
import { IpAddressInUse, MacAddressInUse, PortInUse, ResourceNotFound } from '../domain/network/faults.ts';
import { type AskedIp, type FixedIp, isBound, type Port } from '../domain/network/port.ts';
import type { Chance } from '../platform/platform.ts';
import { absent, type Table, type Write } from '../platform/table.ts';
import { tellChange } from './address-changes.ts';
import { chooseAddresses, type Chosen, freeAddress, takeAddress, withMac } from './addresses.ts';
import { enter, seeDoor } from './doors.ts';
import { lettingGo } from './floating-ips.ts';
import { newRecord } from './kinds/form.ts';
import { guardKey } from './kinds/key.ts';
import { networkKinds, type StoredNetwork, type StoredPort } from './kinds/networks.ts';
import { findNetwork, subnetsOf } from './networks.ts';
import { oneLess, oneMore } from './quotas.ts';
import { changeRecord, createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import type { Beside, Planned } from './records/plan.ts';

const kind = networkKinds.network_port;

/** The port of this UUID. Throws PortNotFound (404). */
export const findPort = async (table: Table, uuid: string): Promise<StoredPort> => {
  const found = await readRecord(table, kind, uuid);
  if (!found) throw ResourceNotFound('port', uuid);
  return found;
};

/** What no two have: how a port takes and frees it, and what is told who asks for that of another one. */
type Holding = { readonly id: string; readonly take: Write; readonly free: Write; readonly refusal: Fault };

type Holder = Pick<StoredPort, 'uuid' | 'network_id' | 'mac_address' | 'fixed_ips'>;

const holdingsOf = ({ uuid, network_id: network, mac_address: mac, fixed_ips: ips }: Holder): Holding[] => {
  const key = guardKey('port_mac', `${network}#${mac}`);
  return [
    {
      id: mac,
      take: { put: { ...key, network_port: uuid }, when: [absent] },
      free: { delete: key },
      refusal: MacAddressInUse(network, mac),
    },
    ...ips.map((ip) => ({
      id: ip.ip_address,
      take: takeAddress(ip, uuid),
      free: freeAddress(ip),
      refusal: IpAddressInUse(network, ip.ip_address),
    })),
  ];
};

const missing =
  (held: readonly Holding[]) =>
  ({ id }: Holding): boolean =>
    !held.some((one) => one.id === id);

/** From what a port holds to what it shall hold. Of what was not `asked` for, another one does as well. */
const exchange = (before: Holder | undefined, after: Holder | undefined, asked: ReadonlySet<string>): Planned[] => {
  const [held, wanted] = [before ? holdingsOf(before) : [], after ? holdingsOf(after) : []];
  return [
    ...wanted
      .filter(missing(held))
      .map(({ id, take, refusal }) => ({ write: take, ...(asked.has(id) && { refused: () => refusal }) })),
    ...held.filter(missing(wanted)).map(({ free }) => ({ write: free })),
  ];
};

/** Who takes an address, or comes to a network, does so by a door of it. */
const doorOf = async (table: Table, { network_id: network, uuid }: Pick<Holder, 'network_id' | 'uuid'>) =>
  seeDoor(table, networkKinds.network.name, network, uuid);

/** A MAC address of nobody: that it is locally administered says its first byte. */
const newMac = (chance: Chance): string => {
  const bytes = Array.from({ length: 3 }, () => Math.floor(chance.number() * 256));
  return ['fa', '16', '3e', ...bytes.map((byte) => byte.toString(16).padStart(2, '0'))].join(':');
};

const plain = ({ subnet_id, ip_address }: FixedIp): FixedIp => ({ subnet_id, ip_address });

const askedFor = (chosen: readonly Chosen[], mac: string | undefined): Set<string> =>
  new Set([
    ...chosen.filter(({ asked }) => asked).map(({ ip_address: ip }) => ip),
    ...(mac === undefined ? [] : [mac]),
  ]);

/** What a new port is to be; without fixed_ips it gets what is usual, without mac_address one of nobody. */
export type NewPort = Omit<Partial<Port>, 'fixed_ips'> &
  Pick<Port, 'project_id' | 'network_id'> & { readonly uuid?: string; readonly fixed_ips?: readonly AskedIp[] };

/**
 * `permit` is asked of the network and refuses by throwing; `fence` is a condition on something else, with its refusal.
 */
type Conditions = { readonly permit?: (network: StoredNetwork) => void; readonly fence?: Planned };

/**
 * Makes a port. Throws NetworkNotFound (404), OverQuota (409),
 * MacAddressInUse (409), IpAddressInUse (409), and what `chooseAddresses` throws; Conflict (409) for a UUID that is taken.
 */
export const createPort = async (
  needs: Needs,
  { fixed_ips: wanted, ...values }: NewPort,
  { permit = () => undefined, fence }: Conditions = {},
): Promise<StoredPort> => {
  const record = newRecord(needs, kind, values);
  const { network_id, project_id, uuid } = record;
  return createRecord(needs, kind, record, async () => {
    const door = await doorOf(needs.table, record);
    const network = await findNetwork(needs.table, network_id);
    permit(network);
    const mac_address = values.mac_address ?? newMac(needs.chance);
    const subnets = await subnetsOf(needs.table, network);
    const chosen = await chooseAddresses(needs, { network_id, subnets, mac_address }, wanted);
    const { slot, write } = await oneMore(needs, 'port', project_id, uuid);
    const set = { mac_address, fixed_ips: chosen.map(plain), slot };
    const taking = exchange(undefined, { ...record, ...set }, askedFor(chosen, values.mac_address));
    const beside = [...taking, ...(fence ? [fence] : [])];
    return { set, also: [write, enter(door, needs.ids.ulid())], beside: [() => beside] };
  });
};

/** A port's addresses changed under a machine that has it. */
const telling = (before: StoredPort, after: StoredPort): Beside => {
  const changed = JSON.stringify(before.fixed_ips) !== JSON.stringify(after.fixed_ips);
  return ({ ids }) => (isBound(after) && changed ? [{ write: tellChange(after.uuid, ids) }] : []);
};

const PortBound = (uuid: string) =>
  new Fault('PortBound', 409, `Unable to complete operation on port ${uuid}, the MAC address is that of a machine.`);

/** What a change of a port wants; fixed_ips and mac_address are looked into. */
export type PortChange = Omit<Partial<StoredPort>, 'fixed_ips'> & { readonly fixed_ips?: readonly AskedIp[] };

/** The addresses of the changed port. Throws what `chooseAddresses` throws. */
const changedAddresses = async (needs: Needs, before: StoredPort, wanted: PortChange): Promise<Chosen[]> => {
  const mac_address = wanted.mac_address ?? before.mac_address;
  if (!wanted.fixed_ips && mac_address === before.mac_address) {
    return before.fixed_ips.map((one) => ({ ...one, asked: true }));
  }
  const network = await findNetwork(needs.table, before.network_id);
  const subnets = await subnetsOf(needs.table, network);
  const held = withMac(subnets, before.fixed_ips, mac_address);
  if (!wanted.fixed_ips) return held.map((one) => ({ ...one, asked: true }));
  return chooseAddresses(needs, { network_id: before.network_id, subnets, mac_address }, wanted.fixed_ips, held);
};

/** The change of a port with all that goes with it. */
const changing = async (needs: Needs, before: StoredPort, wanted: PortChange) => {
  const door = await doorOf(needs.table, before);
  const chosen = await changedAddresses(needs, before, wanted);
  const set = { ...wanted, fixed_ips: chosen.map(plain) };
  const after = { ...before, ...set };
  const takes = exchange(before, after, askedFor(chosen, wanted.mac_address));
  const gone = before.fixed_ips.filter((one) => !after.fixed_ips.some((other) => other.ip_address === one.ip_address));
  const mark = after.fixed_ips.length > 0 && takes.length > 0 ? [enter(door, needs.ids.ulid())] : [];
  const floating = await lettingGo(needs.table, before, gone);
  return { set, also: mark, beside: [() => takes, telling(before, after), ...floating] };
};

/**
 * Changes a port; `permit` refuses by throwing, and says what is wanted of the port as it is. A floating IP that stood for
 * an address that the port gives up, stands for nothing. Throws NotFound (404), PortBound (409), and what `createPort` throws.
 */
export const changePort = async (
  needs: Needs,
  uuid: string,
  permit: (before: StoredPort) => PortChange,
): Promise<StoredPort> => {
  const { after } = await changeRecord(needs, kind, uuid, async (before) => {
    const wanted = permit(before);
    // An empty one is none that is asked for: a port always has one.
    const mac_address = wanted.mac_address || before.mac_address;
    if (isBound(before) && mac_address !== before.mac_address) throw PortBound(uuid);
    return changing(needs, before, { ...wanted, mac_address });
  });
  return after;
};

/** Removes a port; `permit` refuses by throwing. Its floating IPs stand for nothing then. Throws NotFound (404). */
export const removePort = async (
  needs: Needs,
  uuid: string,
  permit: (before: StoredPort) => void = () => undefined,
): Promise<void> => {
  await removeRecord(needs, kind, uuid, async (before) => {
    permit(before);
    const floating = await lettingGo(needs.table, before, before.fixed_ips);
    return {
      also: [oneLess('port', before)],
      beside: [() => exchange(before, undefined, new Set()), ...floating],
    };
  });
};

/** What a server says of a port that becomes an interface of its machine. */
export type Binding = {
  readonly device_id: string;
  /** `compute:` and the availability zone. */
  readonly device_owner: string;
  /** UUID of the node. */
  readonly host_id: string;
  /** That of the network card; absent: the port keeps its own. */
  readonly mac_address?: string;
};

/**
 * Gives a port to a server: its MAC address becomes that of the card. Done again, it changes nothing. `fence` is refused
 * when the server is not to get it any more. Throws NotFound (404), PortInUse (409) if another server has it,
 * MacAddressInUse (409).
 */
export const bindPort = async (needs: Needs, uuid: string, binding: Binding, fence?: Planned): Promise<StoredPort> => {
  const { device_id, device_owner, host_id, mac_address } = binding;
  const { after } = await changeRecord(needs, kind, uuid, async (before) => {
    if (before.device_id !== '' && before.device_id !== device_id) {
      throw PortInUse(uuid, before.network_id, before.device_id);
    }
    const wanted: PortChange = {
      device_id,
      device_owner,
      'binding:host_id': host_id,
      status: 'ACTIVE',
      ...(mac_address !== undefined && { mac_address }),
    };
    const change = await changing(needs, before, wanted);
    return { ...change, beside: [...change.beside, () => (fence ? [fence] : [])] };
  });
  return after;
};

/**
 * Takes a port back from a server; it has a MAC address of nobody then. Of another server's port, and of none, nothing is
 * changed. Throws NotFound (404).
 */
export const unbindPort = async (needs: Needs, uuid: string, device_id: string): Promise<StoredPort> => {
  const { after } = await changeRecord(needs, kind, uuid, async (before) => {
    if (before.device_id !== device_id) return undefined;
    const wanted: PortChange = {
      device_id: '',
      device_owner: '',
      'binding:host_id': '',
      'binding:profile': {},
      status: 'DOWN',
    };
    const change = await changing(needs, before, { ...wanted, mac_address: newMac(needs.chance) });
    return change;
  });
  return after;
};
