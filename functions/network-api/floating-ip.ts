/** Floating IPs. */
import { ResourceNotFound } from '../../layers/domain/network/faults.ts';
import { type FloatingIp, floatingIp } from '../../layers/domain/network/floating-ip.ts';
import { allows, denied, type Subject } from '../../layers/domain/policy.ts';
import type { Shown } from '../../layers/domain/projection.ts';
import { networkKinds, type StoredFloatingIp, type StoredPort } from '../../layers/store/kinds/networks.ts';
import {
  changeFloatingIp,
  createFloatingIp,
  findFloatingIp,
  type NewFloatingIp,
  removeFloatingIp,
} from '../../layers/store/floating-ips.ts';
import { findNetwork } from '../../layers/store/networks.ts';
import type { Resource } from './crud.ts';
import { standardShown } from './view.ts';

const shown: Shown<StoredFloatingIp> = {
  ...standardShown,
  status: ({ port_id: port }) => (port === null ? 'DOWN' : 'ACTIVE'),
};

/** A port of somebody else is not there. Throws PortNotFound (404), Forbidden (403). */
const permitFor =
  (subject: Subject) =>
  (port: StoredPort): void => {
    if (!allows('get_port', subject, port)) throw ResourceNotFound('port', port.uuid);
    if (!allows('update_port', subject, port)) throw denied('update_port');
  };

/** What it shall stand for, if that is said. */
const wishOf = ({ port_id, fixed_ip_address }: Partial<FloatingIp>, before?: StoredFloatingIp) => {
  if (port_id !== undefined) return { port_id, fixed_ip_address: fixed_ip_address ?? null };
  if (fixed_ip_address === undefined) return undefined;
  return { port_id: before?.port_id ?? null, fixed_ip_address };
};

export const floatingIps: Resource<StoredFloatingIp> = {
  collection: 'floatingips',
  name: 'floatingip',
  rows: floatingIp,
  kind: networkKinds.floatingip,
  shown,
  find: findFloatingIp,
  ports: ({ port_id: port }) => (port === null ? [] : [port]),
  create: async (deps, { subject }, values) => {
    const wanted = values as unknown as NewFloatingIp;
    const network = await findNetwork(deps.table, wanted.floating_network_id);
    if (!allows('get_network', subject, network)) throw ResourceNotFound('network', network.uuid);
    return createFloatingIp(deps, wanted, permitFor(subject));
  },
  change: async (deps, { subject }, target, values) => {
    const { port_id, fixed_ip_address, ...set } = values as Partial<FloatingIp>;
    const wish = wishOf(
      { ...(port_id !== undefined && { port_id }), ...(fixed_ip_address !== undefined && { fixed_ip_address }) },
      target,
    );
    return changeFloatingIp(deps, target.uuid, { set, ...(wish && { wish }) }, permitFor(subject));
  },
  remove: async (deps, _call, { uuid }) => removeFloatingIp(deps, uuid),
};
