/** What holds of every port, and when one may be changed (ironic-api.md 3). */
import { stateOf, statesThatAre } from '../../../layers/domain/baremetal/states.ts';
import { Conflict, Invalid, NotAcceptable } from '../../../layers/domain/fault.ts';
import { vifOf } from '../../../layers/domain/vifs.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { type StoredPort, kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { recordsOf } from '../../../layers/store/records/find.ts';
import type { Edit } from '../belonging.ts';
import { refuseLocked } from '../../../layers/store/reservation.ts';

type Values = Readonly<Record<string, unknown>>;

/** Checks the values that are given. Throws NotAcceptable (406) for a network_type below 1.64. */
export const checkValues = ({ local_link_connection: link }: Values, version: number): void => {
  if (version < 64 && typeof link === 'object' && link !== null && 'network_type' in link) {
    throw NotAcceptable('Request not acceptable. network_type needs API version 1.64 or newer.');
  }
};

/** Throws Invalid (400) for a smart NIC that does not say where it is. */
export const checkSmartNic = ({ is_smartnic, local_link_connection: link }: StoredPort): void => {
  if (!is_smartnic) return;
  const missing = ['port_id', 'hostname'].filter((key) => !Object.hasOwn(link, key));
  if (missing.length > 0) throw Invalid(`A smart NIC needs local_link_connection with ${missing.join(' and ')}.`);
};

/** Throws Invalid (400) for a port group that the node does not have. */
export const checkPortgroup = async (table: Table, port: StoredPort): Promise<void> => {
  const { portgroup_uuid: group, node_uuid: node } = port;
  if (group === null || (await table.get(keyOf(kinds.portgroup, group, node)))) return;
  // One answer for both: the other node may be one that the caller is not to know of.
  throw Invalid(`Portgroup ${group} could not be found on node ${node}.`);
};

/**
 * The ports of a group are in one physical network, or in none that is known. Of a change only what touches it counts.
 * Throws Conflict (409) in Ironic's words.
 */
export const checkPhysicalNetwork = async (table: Table, port: StoredPort, before?: StoredPort): Promise<void> => {
  const { uuid, portgroup_uuid: group, physical_network: network } = port;
  const stays = before?.portgroup_uuid === group && before?.physical_network === network;
  if (group === null || stays) return;
  const others = (await recordsOf(table, kinds.port, port.node_uuid)).filter(
    (other) => other.uuid !== uuid && other.portgroup_uuid === group,
  );
  if (others.length === 0 || others.some((other) => other.physical_network === network)) return;
  throw Conflict(
    `Port with physical network ${network ?? 'None'} cannot become a member of port group ${group} which has ports in physical network ${others[0]!.physical_network ?? 'None'}.`,
  );
};

/** What the network of a machine in use is built on. */
const wired = ['portgroup_uuid', 'pxe_enabled', 'local_link_connection', 'physical_network'] as const;

/** A group has one physical network, its ports none of their own. Throws Invalid (400) from 1.102. */
const refuseNetwork = ({ before, after, changed, version }: Edit<StoredPort>): void => {
  if (version < 102 || !changed.includes('physical_network')) return;
  if (before.portgroup_uuid === null || after.portgroup_uuid === null) return;
  throw Invalid(`The physical_network of port ${before.uuid} can not be changed while it is in a port group.`);
};

/** Throws Conflict (409) if the node's state forbids this change of its port, Invalid (400) if the port's group does. */
export const refuseEdit = (edit: Edit<StoredPort>): void => {
  const { node, changed, version } = edit;
  refuseLocked(node);
  if (node.provision_state === 'inspecting' && version >= 39) {
    throw Conflict(`Ports of node ${node.uuid} can not be updated while it is being inspected.`);
  }
  refuseNetwork(edit);
  if (node.maintenance) return;
  if (changed.includes('address') && (node.provision_state === 'active' || node.instance_uuid !== null)) {
    throw Conflict(`The address of a port can not be changed while node ${node.uuid} has an instance.`);
  }
  const held = wired.filter((name) => changed.includes(name));
  if (held.length > 0 && !stateOf(node).unwired) {
    throw Conflict(
      `${held.join(', ')} can not be changed while node ${node.uuid} is in state "${node.provision_state}", only in ${statesThatAre('unwired').join(', ')} or in maintenance.`,
    );
  }
};

/** Throws Conflict (409) while an instance's network is on the port. */
export const refuseDelete = (port: StoredPort, node: StoredNode): void => {
  const vif = vifOf(port);
  if (vif !== undefined && !node.maintenance) {
    throw Conflict(`Port ${port.uuid} has VIF ${vif} attached, detach it before the port is deleted.`);
  }
};
