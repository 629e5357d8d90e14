/** The table in memory: the same rules as DynamoDB, evaluated on Maps. */
import { isDeepStrictEqual } from 'node:util';

import {
  ConditionFailed,
  type Condition,
  type Item,
  type Key,
  type Query,
  type Table,
  type Write,
} from '../../layers/store/table.ts';

const id = ({ pk, sk }: Key) => `${pk}\u0000${sk}`;

const holds = (condition: Condition, item: Item | undefined): boolean => {
  switch (condition.is) {
    case 'absent':
      return item === undefined;
    case 'present':
      return item !== undefined;
    case 'unset':
      return (item?.[condition.attribute] ?? null) === null;
    case 'equal':
      return isDeepStrictEqual(item?.[condition.attribute], condition.value);
    case 'one of':
      return condition.values.includes(item?.[condition.attribute] as string);
    case 'below': {
      const value = item?.[condition.attribute];
      return typeof value === typeof condition.value && (value as string | number) < condition.value;
    }
  }
};

const target = (write: Write): Key =>
  'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;

const result = (write: Write, item: Item | undefined): Item | undefined => {
  if ('put' in write) return structuredClone(write.put);
  if ('delete' in write) return undefined;
  if ('check' in write) return item;
  const next: Record<string, unknown> = { ...item, ...write.update, ...structuredClone(write.set) };
  for (const name of write.remove ?? []) delete next[name];
  return next as Item;
};

export const createMemoryTable = (): Table & { items(): Item[] } => {
  const items = new Map<string, Item>();
  const get = (key: Key) => structuredClone(items.get(id(key)));

  const query = ({ index, partition, begins = '', after, before, descending, limit }: Query): Item[] => {
    const [pk, sk] = index ? [index, 'position'] : ['pk', 'sk'];
    const found = [...items.values()]
      .filter((item) => item[pk] === partition && typeof item[sk] === 'string')
      .map((item) => ({ item, sort: item[sk] as string }))
      .filter(({ sort }) => sort.startsWith(begins) && (!after || sort > after) && (!before || sort < before))
      .sort((a, b) => (a.sort < b.sort ? -1 : 1) * (descending ? -1 : 1));
    return structuredClone(found.slice(0, limit).map(({ item }) => item));
  };

  return {
    items: () => structuredClone([...items.values()]),
    get: async (key) => get(key),
    getMany: async (keys) => keys.map(get),
    query: async (options) => query(options),
    write: async (writes) => {
      writes.forEach((write, at) => {
        const item = items.get(id(target(write)));
        const refused = (write.when ?? []).some((condition) => !holds(condition, item));
        if (refused) throw new ConditionFailed(at, structuredClone(item));
      });
      for (const write of writes) {
        const key = id(target(write));
        const next = result(write, items.get(key));
        if (next) items.set(key, next);
        else items.delete(key);
      }
    },
  };
};
