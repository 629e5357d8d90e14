/** Ports, as a kind of what a node has several of; found by UUID, MAC address and name. */
import { port as portFields, type Port } from '../domain/port.ts';
import { belongingBy, belongingKey, belongingsOf, type Kind, type Stored } from './belongings.ts';
import { portgroupKey } from './node-portgroups.ts';
import type { Key, Table } from '../platform/table.ts';

export type StoredPort = Stored<Port>;

/** For the functions of `belongings.ts`. */
export const portKind: Kind = {
  name: 'port',
  title: 'Port',
  fields: portFields,
  words: { port: 'UUID', port_address: 'MAC address', port_name: 'name' },
  refersTo: (port) => {
    const { node_uuid: node, portgroup_uuid: group } = port as Port;
    return group === null ? undefined : portgroupKey(node, group);
  },
};

/** A port stands with its node. */
export const portKey = (node: string, uuid: string): Key => belongingKey(portKind, node, uuid);

/** The port with this MAC address (lower case, colons). */
export const portByAddress = async (table: Table, address: string): Promise<StoredPort | undefined> =>
  belongingBy(table, portKind, 'port_address', address);

/** All ports of a node, in the order of their UUIDs. */
export const portsOf = async (table: Table, node: string): Promise<StoredPort[]> => belongingsOf(table, portKind, node);
