/**
 * What DynamoDB refuses (its developer guide, "Quotas"), refused by every implementation of the table, so that one
 * machine shows what AWS would say. Limits that a client's data can reach are 4xx, the others are mistakes of ours.
 */
import { Fault, Invalid, TooLarge } from '../domain/fault.ts';
import { keyOf } from './evaluate.ts';
import type { Item, Key, Write } from './table.ts';

/** Limits of DynamoDB: writes of a transaction, bytes of an item, bytes of a transaction. */
export const maxWrites = 100;
export const maxItemBytes = 400 * 1024;
const maxWriteBytes = 4 * 1024 * 1024;
const maxDepth = 32;
const maxNameBytes = 65_535;
const partitionBytes = 2048;
const sortBytes = 1024;
const keyBytes = { pk: partitionBytes, sk: sortBytes } as const;

const Unwritable = (message: string) => new Fault('Unwritable', 500, message);
const place = ({ pk, sk }: Key) => `item ${pk} ${sk}`;

const numberSize = (value: number, where: string): number => {
  const size = Math.abs(value);
  if (size > Number.MAX_SAFE_INTEGER) throw Invalid(`${where}: the number ${value} is too large to be stored.`);
  if (size !== 0 && size < 1e-130) throw Invalid(`${where}: the number ${value} is too small to be stored.`);
  if (!Number.isFinite(value)) throw Unwritable(`${where}: ${value} is not a number that can be stored.`);
  return 2 + Math.ceil(String(size).length / 2);
};

/** Anything else would be a set, a date, a map ...: DynamoDB takes them for other types, or refuses them. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};

/** Bytes of a JSON value by DynamoDB's rules; `where` names it. Throws Invalid (400) for values it cannot hold. */
const sizeOf = (value: unknown, where: string, depth = 0): number => {
  if (value === null || typeof value === 'boolean') return 1;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return numberSize(value, where);
  if (typeof value !== 'object') throw Unwritable(`${where}: a value of type ${typeof value} cannot be stored.`);
  if (!isPlain(value)) throw Unwritable(`${where}: a value of type ${value.constructor.name} cannot be stored.`);
  if (depth >= maxDepth) throw Invalid(`${where}: more than ${maxDepth} levels of JSON cannot be stored.`);
  if (Array.isArray(value)) {
    // Not by reduce: it passes over what is missing in a list.
    return Array.from(value).reduce((sum: number, one, at) => sum + 1 + sizeOf(one, `${where}.${at}`, depth + 1), 3);
  }
  return 3 + attributesSize(value, where, depth);
};

/** Bytes of the name of an attribute, at any depth. Throws Invalid (400) for an empty or endless one. */
const nameSize = (name: string, where: string): number => {
  const bytes = Buffer.byteLength(name);
  if (name === '') throw Invalid(`${where} has a key that is empty, which cannot be stored: give it a name.`);
  if (bytes > maxNameBytes)
    throw Invalid(`${where} has a key of ${bytes} bytes, at most ${maxNameBytes} can be stored.`);
  return bytes;
};

/** How clients know what is in an attribute of an item: instance_info is an item of its own, with `values`. */
const fieldOf = (item: Item, name: string): string => (name === 'values' ? item.sk : name);

const attributesSize = (attributes: object, where: string, depth = 0): number => {
  let sum = 0;
  for (const [name, value] of Object.entries(attributes)) {
    const path = depth === 0 ? fieldOf(attributes as Item, name) : `${where}.${name}`;
    sum += 1 + nameSize(name, where) + sizeOf(value, path, depth + 1);
  }
  return sum;
};

/**
 * Bytes of an item. Throws TooLarge (413) past 400 KB, Invalid (400) for numbers, depths and empty keys that cannot be
 * stored, with the path to them, Unwritable (500) for undefined and for what is no JSON.
 */
export const checkItem = (item: Item): number => {
  const bytes = attributesSize(item, place(item));
  if (bytes > maxItemBytes) {
    throw TooLarge(`The ${place(item)} would have ${bytes} bytes, at most ${maxItemBytes} can be stored.`);
  }
  return bytes;
};

const fits = (text: string, most: number): boolean => text !== '' && Buffer.byteLength(text) <= most;

/** Whether an item can have this key; nothing is found under another, and DynamoDB refuses to look. */
export const isPossibleKey = ({ pk, sk }: Key): boolean => fits(pk, partitionBytes) && fits(sk, sortBytes);

/** Whether this can be the partition of a query. */
export const isPossiblePartition = (partition: string): boolean => fits(partition, partitionBytes);

const checkKey = (key: Key) => {
  for (const name of ['pk', 'sk'] as const) {
    const bytes = Buffer.byteLength(key[name]);
    if (!fits(key[name], keyBytes[name])) {
      throw Invalid(`A key of ${bytes} bytes cannot be stored (${name} takes 1 to ${keyBytes[name]}): ${place(key)}.`);
    }
  }
};

const checkWrite = (write: Write): number => {
  checkKey(keyOf(write));
  if ('put' in write) return checkItem(write.put);
  if ('check' in write && write.when.length === 0)
    throw Unwritable(`The check of ${place(write.check)} checks nothing.`);
  if (!('update' in write)) return 0;
  const set = write.set ?? {};
  if (Object.keys(set).length + (write.remove?.length ?? 0) === 0) {
    throw Unwritable(`The update of ${place(write.update)} changes nothing.`);
  }
  const wrong = ['pk', 'sk'].some((name) => name in set || write.remove?.includes(name));
  if (wrong || write.remove?.some((name) => name in set)) {
    throw Unwritable(`The update of ${place(write.update)} names a key, or one attribute twice.`);
  }
  return checkItem({ ...set, ...write.update });
};

/**
 * Checks everything about a transaction that can be told without the stored items. Throws TooLarge (413), Invalid
 * (400), Unwritable (500). Whether an update makes an item too large shows only when it is applied: `checkItem`.
 */
export const checkWrites = (writes: readonly Write[]): void => {
  if (writes.length === 0 || writes.length > maxWrites) {
    throw Unwritable(`A transaction has ${writes.length} writes, it may have 1 to ${maxWrites}.`);
  }
  const bytes = writes.reduce((sum, write) => sum + checkWrite(write), 0);
  if (bytes > maxWriteBytes) {
    throw TooLarge(`A transaction would write ${bytes} bytes, at most ${maxWriteBytes} go into one.`);
  }
  const keys = new Set<string>();
  for (const write of writes) {
    const key = keyOf(write);
    const id = JSON.stringify([key.pk, key.sk]);
    if (keys.has(id)) throw Unwritable(`A transaction has two writes to the ${place(key)}.`);
    keys.add(id);
  }
};
