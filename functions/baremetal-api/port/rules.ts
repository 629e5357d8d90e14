/** What holds of every port, and when one may be changed (ironic-api.md 3). */
import { Conflict, Invalid, NodeLocked, NotAcceptable } from '../../../layers/domain/fault.ts';
import type { StoredPort } from '../../../layers/store/node-ports.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Table } from '../../../layers/store/table.ts';

type Values = Readonly<Record<string, unknown>>;

/** Checks the values that are given. Throws NotAcceptable (406) for a network_type below 1.64. */
export const checkValues = ({ local_link_connection: link }: Values, version: number): void => {
  if (version < 64 && typeof link === 'object' && link !== null && 'network_type' in link) {
    throw NotAcceptable('Request not acceptable. network_type needs API version 1.64 or newer.');
  }
};

/** Checks the port as a whole. Throws Invalid (400). */
export const checkWhole = ({ is_smartnic, local_link_connection: link }: Values): void => {
  if (!is_smartnic) return;
  const missing = ['port_id', 'hostname'].filter((key) => !Object.hasOwn(link ?? {}, key));
  if (missing.length > 0) throw Invalid(`A smart NIC needs local_link_connection with ${missing.join(' and ')}.`);
};

/** Throws Invalid (400) for a port group that does not exist. */
export const checkPortgroup = async (table: Table, { portgroup_uuid: group }: Values): Promise<void> => {
  if (typeof group !== 'string') return;
  if (!(await table.get({ pk: `portgroup#${group}`, sk: 'portgroup' }))) {
    throw Invalid(`Portgroup ${group} could not be found.`);
  }
};

/** A node that somebody works on keeps its ports as they are. Throws NodeLocked (409). */
export const refuseLocked = ({ uuid, reservation }: StoredNode): void => {
  if (reservation) throw NodeLocked(uuid, reservation);
};

/** What the network of a machine in use is built on. */
const wired = ['portgroup_uuid', 'pxe_enabled', 'local_link_connection', 'physical_network'] as const;
const unwired = ['enroll', 'inspecting', 'inspect wait', 'manageable'];

/** Throws Conflict (409) if the node's state forbids these changes of its port. */
export const refuseEdit = (node: StoredNode, changed: readonly string[], version: number): void => {
  refuseLocked(node);
  if (node.provision_state === 'inspecting' && version >= 39) {
    throw Conflict(`Ports of node ${node.uuid} can not be updated while it is being inspected.`);
  }
  if (node.maintenance) return;
  if (changed.includes('address') && (node.provision_state === 'active' || node.instance_uuid !== null)) {
    throw Conflict(`The address of a port can not be changed while node ${node.uuid} has an instance.`);
  }
  const held = wired.filter((name) => changed.includes(name));
  if (held.length > 0 && !unwired.includes(node.provision_state)) {
    throw Conflict(
      `${held.join(', ')} can not be changed while node ${node.uuid} is in state "${node.provision_state}", only in ${unwired.join(', ')} or in maintenance.`,
    );
  }
};

/** Throws Conflict (409) while an instance's network is on the port. */
export const refuseDelete = (port: StoredPort, node: StoredNode): void => {
  refuseLocked(node);
  const vif = port.internal_info['tenant_vif_port_id'];
  if (typeof vif === 'string' && !node.maintenance) {
    throw Conflict(`Port ${port.uuid} has VIF ${vif} attached, detach it before the port is deleted.`);
  }
};
