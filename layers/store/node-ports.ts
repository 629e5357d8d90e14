/** Ports, as a kind of what a node has several of; found by UUID, MAC address and name. */
import type { Page } from '../domain/page.ts';
import { port as portFields, type Port } from '../domain/port.ts';
import {
  belongingBy,
  belongingKey,
  belongingsOf,
  changeBelonging,
  createBelonging,
  deleteBelonging,
  findBelonging,
  listBelongings,
  type Kind,
  type Stored,
} from './belongings.ts';
import type { StoredNode } from './nodes.ts';
import type { Ports } from './ports.ts';
import type { Key, Table } from './table.ts';

export type StoredPort = Stored<Port>;

type Needs = Pick<Ports, 'table' | 'clock' | 'ids'>;

const kind: Kind = {
  name: 'port',
  title: 'Port',
  fields: portFields,
  words: { port: 'UUID', port_address: 'MAC address', port_name: 'name' },
};

/** A port stands with its node. */
export const portKey = (node: string, uuid: string): Key => belongingKey(kind, node, uuid);

/** The port of this UUID or name. Throws NotFound (404). */
export const findPort = async (table: Table, ident: string): Promise<StoredPort> => findBelonging(table, kind, ident);

/** The port with this MAC address (lower case, colons). */
export const portByAddress = async (table: Table, address: string): Promise<StoredPort | undefined> =>
  belongingBy(table, kind, 'port_address', address);

/** All ports of a node, in the order of their UUIDs. */
export const portsOf = async (table: Table, node: string): Promise<StoredPort[]> => belongingsOf(table, kind, node);

/** A page of the ports of all nodes that `keep` keeps. Throws NotFound (404) for an unknown marker. */
export const listPorts = async (table: Table, page: Page, keep: (port: StoredPort) => boolean): Promise<StoredPort[]> =>
  listBelongings(table, kind, page, keep);

/** Stores a new port; `permit` refuses by throwing. Throws NotFound (404) if its node is gone, Conflict (409). */
export const createPort = async (needs: Needs, port: StoredPort, permit: (node: StoredNode) => void): Promise<void> =>
  createBelonging(needs, kind, port, permit);

/** Changes a port by what `decide` makes of it and its node; a new `node_uuid` moves it. `decide` refuses by throwing. */
export const changePort = async (
  needs: Needs,
  uuid: string,
  decide: (port: StoredPort, node: StoredNode) => Promise<Partial<Port>>,
): Promise<StoredPort> => changeBelonging(needs, kind, uuid, decide);

/** Removes a port; `permit` refuses by throwing. */
export const deletePort = async (
  needs: Needs,
  uuid: string,
  permit: (port: StoredPort, node: StoredNode) => void,
): Promise<void> => deleteBelonging(needs, kind, uuid, permit);
