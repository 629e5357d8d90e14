/**
 * What is stored with a node or a server and is no record: one item of a kind, such as the password of its rescue, or
 * several by an id, such as its events. Nobody lists them, and none is found by anything but its node or server.
 */
import type { Item, Key, Table, Write } from '../../platform/table.ts';
import { partition } from './key.ts';

/** A kind of which a node has one item at most; `V` is what the item holds. */
export type One<V extends object> = {
  readonly name: string;
  key(node: string): Key;
  /** The write that makes this what the node has. */
  put(node: string, value: V): Extract<Write, { put: Item }>;
  /** What an item holds. */
  of(item: Item | undefined): V | undefined;
  read(table: Pick<Table, 'get'>, node: string): Promise<V | undefined>;
};

/** A kind of which a node has an item for each id. */
export type Several<V extends object> = {
  readonly name: string;
  key(node: string, id: string): Key;
  item(node: string, id: string, value: V): Item;
  /** The id in an item's key. */
  id(item: Item): string;
  of(item: Item): V;
  /** The query for all of a node, in the order of their ids. */
  all(node: string): { readonly partition: string; readonly begins: string };
};

const valueOf = <V extends object>({ pk: _pk, sk: _sk, ...value }: Item): V => value as unknown as V;

/** The row of a kind of which a node has one; `home`: the kind of what has it. */
export const one = <V extends object>(name: string, home = 'node'): One<V> => {
  const key = (node: string): Key => ({ pk: partition(home, node), sk: name });
  const of = (item: Item | undefined) => item && valueOf<V>(item);
  return {
    name,
    key,
    put: (node, value) => ({ put: { ...key(node), ...value } }),
    of,
    read: async (table, node) => of(await table.get(key(node))),
  };
};

/** The row of a kind of which a node has several; `home`: the kind of what has them. */
export const several = <V extends object>(name: string, home = 'node'): Several<V> => {
  const begins = `${name}#`;
  const key = (node: string, id: string): Key => ({ pk: partition(home, node), sk: begins + id });
  return {
    name,
    key,
    item: (node, id, value) => ({ ...key(node, id), ...value }),
    id: ({ sk }) => sk.slice(begins.length),
    of: valueOf,
    all: (node) => ({ partition: partition(home, node), begins }),
  };
};
