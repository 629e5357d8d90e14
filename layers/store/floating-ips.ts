/** Floating IPs: addresses of external networks that projects keep, each for one address of a port at most. */
import { Fault } from '../domain/fault.ts';
import { parseAddress } from '../domain/network/addresses.ts';
import { FloatingIPPortAlreadyAssociated, IpAddressInUse, ResourceNotFound } from '../domain/network/faults.ts';
import type { FloatingIp } from '../domain/network/floating-ip.ts';
import type { FixedIp } from '../domain/network/port.ts';
import { absent, type Table } from '../platform/table.ts';
import { tellChange } from './address-changes.ts';
import { chooseAny, chooseThis, type Chosen, freeAddress, takeAddress } from './addresses.ts';
import { enter, seeDoor } from './doors.ts';
import { newRecord } from './kinds/form.ts';
import { guardKey } from './kinds/key.ts';
import { networkKinds, type StoredFloatingIp, type StoredPort } from './kinds/networks.ts';
import { findNetwork, subnetsOf } from './networks.ts';
import { oneLess, oneMore } from './quotas.ts';
import { changeRecord, createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { uuidsIn } from './records/list.ts';
import { beside, type Beside, type Planned } from './records/plan.ts';

const kind = networkKinds.floatingip;

/** The floating IP of this UUID. Throws FloatingIPNotFound (404). */
export const findFloatingIp = async (table: Table, uuid: string): Promise<StoredFloatingIp> => {
  const found = await readRecord(table, kind, uuid);
  if (!found) throw ResourceNotFound('floatingip', uuid);
  return found;
};

/** Neutron's words for what makes no sense of a floating IP. */
const BadFloatingIp = (what: string) => new Fault('BadRequest', 400, `Bad floatingip request: ${what}.`);

/** What stands for what. */
type Standing = Pick<StoredFloatingIp, 'uuid' | 'floating_network_id' | 'port_id' | 'fixed_ip_address'>;

const standKey = ({ port_id: port, fixed_ip_address: fixed, floating_network_id: network }: Standing) =>
  guardKey('floating_ip', `${port}#${fixed}#${network}`);

const isStanding = ({ port_id: port }: Standing): boolean => port !== null;

/** An address of a port has one floating IP of a network at most. */
const stand = (one: Standing): Planned => {
  const { port_id: port, fixed_ip_address: fixed, floating_network_id: network } = one;
  return {
    write: { put: { ...standKey(one), floatingip: one.uuid }, when: [absent] },
    refused: () => FloatingIPPortAlreadyAssociated(port!, fixed!, network),
  };
};

/** From what it stands for to what it shall stand for; whom that concerns is told. */
const restand =
  (before: Standing | undefined, after: Standing | undefined): Beside =>
  ({ ids }) => {
    const [old, next] = [
      before && isStanding(before) ? before : undefined,
      after && isStanding(after) ? after : undefined,
    ];
    if (old?.port_id === next?.port_id && old?.fixed_ip_address === next?.fixed_ip_address) return [];
    const ports = new Set([old?.port_id, next?.port_id].filter((port) => typeof port === 'string'));
    return [
      ...(next ? [stand(next)] : []),
      ...(old ? [{ write: { delete: standKey(old) } }] : []),
      ...[...ports].map((port) => ({ write: tellChange(port, ids) })),
    ];
  };

const nothing = { port_id: null, fixed_ip_address: null } as const;

/** All that stand for addresses of a port, in the order in which they were made. */
export const floatingIpsOf = async (table: Table, port: string): Promise<StoredFloatingIp[]> => {
  const uuids = await uuidsIn(table, kind, [{ index: 'port_id', value: port }]);
  const found = await Promise.all(uuids.map(async (uuid) => readRecord(table, kind, uuid)));
  return found.filter((one) => one?.port_id === port) as StoredFloatingIp[];
};

/** The changes by which those that stand for addresses which a port gives up (`gone`) let go of it. */
export const lettingGo = async (
  table: Table,
  { uuid }: Pick<StoredPort, 'uuid'>,
  gone: readonly FixedIp[],
): Promise<Beside[]> => {
  if (gone.length === 0) return [];
  const addresses = gone.map(({ ip_address: ip }) => ip);
  const standing = (await floatingIpsOf(table, uuid)).filter((one) => addresses.includes(one.fixed_ip_address!));
  // Of the port as a whole it is told once, by who changes it; a second note to the same place would be refused.
  const free =
    (one: Standing): Beside =>
    () => [{ write: { delete: standKey(one) } }];
  return standing.flatMap((one) => [beside(kind, one, { set: nothing }), free(one)]);
};

const isV4 = ({ ip_address: text }: FixedIp): boolean => parseAddress(text)!.version === 4;

/** What a floating IP is to stand for: an address of a port, of which null means the only one. */
export type Wish = { readonly port_id: string | null; readonly fixed_ip_address?: string | null };

/**
 * The very address of a port. `permit` is asked of the port and refuses by throwing. Throws PortNotFound (404), BadRequest
 * (400) if the port has no such address, or several and none is named.
 */
const addressFor = async (table: Table, wish: Wish, permit: (port: StoredPort) => void) => {
  const { port_id: uuid, fixed_ip_address: named } = wish;
  if (uuid === null) {
    if (named) throw BadFloatingIp(`fixed_ip_address ${named} is given without a port_id`);
    return nothing;
  }
  const port = await readRecord(table, networkKinds.network_port, uuid);
  if (!port) throw ResourceNotFound('port', uuid);
  permit(port);
  const addresses = port.fixed_ips.filter(isV4).map(({ ip_address: ip }) => ip);
  if (named && !addresses.includes(named)) throw BadFloatingIp(`Port ${uuid} does not have fixed ip ${named}`);
  if (addresses.length === 0) throw BadFloatingIp(`Port ${uuid} does not have an IPv4 address`);
  if (!named && addresses.length > 1) {
    throw BadFloatingIp(`Port ${uuid} has multiple fixed IPv4 addresses. Name one as fixed_ip_address`);
  }
  return { port_id: uuid, fixed_ip_address: named ?? addresses[0]! };
};

/** The address of the external network that a floating IP is. Throws BadRequest (400), and what `chooseAny` throws. */
const addressOn = async (needs: Needs, record: StoredFloatingIp, wanted: string | undefined): Promise<Chosen> => {
  const { floating_network_id: network_id, subnet_id: id } = record;
  const network = await findNetwork(needs.table, network_id);
  if (!network['router:external']) throw BadFloatingIp(`Network ${network_id} is not a valid external network`);
  const all = await subnetsOf(needs.table, network);
  const subnets = all.filter(({ uuid, ip_version: version }) => version === 4 && (id === null || uuid === id));
  if (id !== null && subnets.length === 0)
    throw BadFloatingIp(`Subnet ${id} is no IPv4 subnet of network ${network_id}`);
  if (wanted !== undefined) return chooseThis({ network_id, subnets }, { ip_address: wanted });
  const any = await chooseAny(needs, { network_id, subnets });
  if (!any) throw BadFloatingIp(`Network ${network_id} does not contain any IPv4 subnet`);
  return any;
};

/** What a new floating IP is to be; without floating_ip_address it gets any. */
export type NewFloatingIp = Partial<FloatingIp> & Pick<FloatingIp, 'project_id' | 'floating_network_id'>;

/** Where the address of one is a place. */
const placeOf = ({ subnet_id: subnet, floating_ip_address: ip }: StoredFloatingIp): FixedIp => ({
  subnet_id: subnet!,
  ip_address: ip,
});

/**
 * Makes a floating IP; `permit` is asked of the port that it stands for, and refuses by throwing. Throws NetworkNotFound
 * (404), PortNotFound (404), BadRequest (400), IpAddressInUse (409), IpAddressGenerationFailure (409),
 * FloatingIPPortAlreadyAssociated (409), OverQuota (409).
 */
export const createFloatingIp = async (
  needs: Needs,
  values: NewFloatingIp,
  permit: (port: StoredPort) => void,
): Promise<StoredFloatingIp> => {
  const record = newRecord(needs, kind, values);
  const { floating_network_id: network, uuid } = record;
  return createRecord(needs, kind, record, async () => {
    const door = await seeDoor(needs.table, networkKinds.network.name, network, uuid);
    const chosen = await addressOn(needs, record, values.floating_ip_address);
    const standing = await addressFor(needs.table, record, permit);
    const { slot, write } = await oneMore(needs, 'floatingip', record.project_id, uuid);
    const set = { slot, ...standing, subnet_id: chosen.subnet_id, floating_ip_address: chosen.ip_address };
    const take: Planned = {
      write: takeAddress(chosen, uuid),
      ...(chosen.asked && { refused: () => IpAddressInUse(network, chosen.ip_address) }),
    };
    const also = [write, enter(door, needs.ids.ulid())];
    return { set, also, beside: [() => [take], restand(undefined, { ...record, ...set })] };
  });
};

/** What a change of a floating IP wants; without port_id it stands for what it did. */
export type FloatingIpChange = { readonly set: Partial<FloatingIp>; readonly wish?: Wish };

/**
 * Changes a floating IP (`permit` as above). Throws NotFound (404), PortNotFound (404), BadRequest (400),
 * FloatingIPPortAlreadyAssociated (409).
 */
export const changeFloatingIp = async (
  needs: Needs,
  uuid: string,
  { set: plain, wish }: FloatingIpChange,
  permit: (port: StoredPort) => void,
): Promise<StoredFloatingIp> => {
  const { after } = await changeRecord(needs, kind, uuid, async (before) => {
    const standing = wish ? await addressFor(needs.table, wish, permit) : {};
    const set = { ...plain, ...standing };
    return { set, beside: [restand(before, { ...before, ...set })] };
  });
  return after;
};

/** Removes a floating IP; its address is free then. Throws NotFound (404). */
export const removeFloatingIp = async (needs: Needs, uuid: string): Promise<void> => {
  await removeRecord(needs, kind, uuid, (before) => ({
    also: [oneLess('floatingip', before), freeAddress(placeOf(before))],
    beside: [restand(before, undefined)],
  }));
};
