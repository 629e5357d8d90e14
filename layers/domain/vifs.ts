/**
 * VIFs: ports of a network service that are attached to a machine, each to one card or group of cards (ironic-deploy.md
 * 7). The record of that card says so, under the name that Ironic's clients look for.
 */
import { Conflict, Invalid } from './fault.ts';
import { maxVifs, type Node, type Vif } from './node.ts';
import type { Port } from './port.ts';
import type { Portgroup } from './portgroup.ts';

const key = 'tenant_vif_port_id';

type Plugged = Pick<Port, 'uuid' | 'internal_info'>;

/** The VIF that is attached to a port or port group; undefined: none. */
export const vifOf = ({ internal_info: info }: Pick<Plugged, 'internal_info'>): string | undefined => {
  const vif = info[key];
  return typeof vif === 'string' ? vif : undefined;
};

/** The notes of a port or port group with this VIF; undefined: with none. */
export const withVif = ({ internal_info: info }: Pick<Plugged, 'internal_info'>, vif: string | undefined) => {
  const { [key]: _former, ...others } = info;
  return { internal_info: vif === undefined ? others : { ...others, [key]: vif } };
};

/** Whether it is remembered which VIFs a node has. With `noop` whoever runs the network does that without Ingot. */
export const keepsVifs = ({ network_interface: network }: Pick<Node, 'network_interface'>): boolean =>
  network === 'flat';

/** What VIFs of a node can be attached to. */
export type Cards<P extends Port = Port, G extends Portgroup = Portgroup> = {
  readonly ports: readonly P[];
  readonly groups: readonly G[];
};

/**
 * What the record of a node says of its VIFs when one of its cards (by UUID) has this one, or none (undefined); null:
 * nothing is attached. Throws Invalid (400) for more than an event can tell.
 */
export const attachedWith = ({ ports, groups }: Cards, card: string, vif: string | undefined) => {
  const attached = (where: 'port_uuid' | 'portgroup_uuid') => (one: Plugged) => {
    const id = one.uuid === card ? vif : vifOf(one);
    return id === undefined ? [] : [{ id, port_uuid: null, portgroup_uuid: null, [where]: one.uuid }];
  };
  const all: Vif[] = [...groups.flatMap(attached('portgroup_uuid')), ...ports.flatMap(attached('port_uuid'))];
  if (all.length > maxVifs) throw Invalid(`A node can have ${maxVifs} VIFs at most: detach one first.`);
  return all.length > 0 ? all.sort((a, b) => (a.id < b.id ? -1 : 1)) : null;
};

/** Where a client wants a VIF; null: anywhere. */
export type Wanted = { readonly port: string | null; readonly group: string | null };

const isFree = (card: Plugged): boolean => vifOf(card) === undefined;

/** A port of a group stands alone only if the group says so and has no VIF itself. */
const standsAlone = ({ groups }: Cards, { portgroup_uuid: uuid }: Port): boolean => {
  const group = groups.find((one) => one.uuid === uuid);
  return group === undefined || (group.standalone_ports_supported && isFree(group));
};

const freeGroups = <P extends Port, G extends Portgroup>({ ports, groups }: Cards<P, G>): G[] =>
  groups.filter((group) => {
    const members = ports.filter(({ portgroup_uuid }) => portgroup_uuid === group.uuid);
    return isFree(group) && members.length > 0 && members.every(isFree);
  });

/** Those that may boot the machine come first. */
const freePorts = <P extends Port, G extends Portgroup>(cards: Cards<P, G>): P[] =>
  cards.ports
    .filter((port) => isFree(port) && standsAlone(cards, port))
    .sort((a, b) => Number(b.pxe_enabled) - Number(a.pxe_enabled));

const chosen = <C extends Plugged>(what: string, all: readonly C[], free: readonly C[], uuid: string): C => {
  const card = all.find((one) => one.uuid === uuid);
  if (!card) throw Invalid(`${what} ${uuid} is none of this node.`);
  if (free.includes(card)) return card;
  const vif = vifOf(card);
  throw Conflict(`${what} ${uuid} ${vif === undefined ? 'is in use by its group' : `has VIF ${vif} attached`}.`);
};

/**
 * The port or group that a VIF is to be attached to: the one that is wanted, else a free group, else a free port.
 * Throws Conflict (409) if the VIF is attached already or the wanted one is taken, Invalid (400) if none is free.
 */
export const cardFor = <P extends Port, G extends Portgroup>(
  vif: string,
  cards: Cards<P, G>,
  { port, group }: Wanted,
): { readonly port: P } | { readonly group: G } => {
  const holder = [...cards.ports, ...cards.groups].find((card) => vifOf(card) === vif);
  if (holder) throw Conflict(`VIF ${vif} is attached already, to ${holder.uuid}.`);
  if (group !== null) return { group: chosen('Portgroup', cards.groups, freeGroups(cards), group) };
  if (port !== null) return { port: chosen('Port', cards.ports, freePorts(cards), port) };
  const [anyGroup] = freeGroups(cards);
  if (anyGroup) return { group: anyGroup };
  const [anyPort] = freePorts(cards);
  if (anyPort) return { port: anyPort };
  throw Invalid(`VIF ${vif} can not be attached: the node has no port without a VIF. Create a port for it first.`);
};
