/** The table in memory: the same rules as DynamoDB, evaluated on a Map. */
import { apply, compareText, holds, isExpired, keyOf } from '../evaluate.ts';
import { checkItem, checkWrites } from '../limits.ts';
import type { Clock } from '../platform.ts';
import { isWithin, rangeOf } from '../range.ts';
import { ConditionFailed, type Item, type Key, type Query, type Table, type Write } from '../table.ts';

export type MemoryTable = Table & {
  /** Everything in it, also what has expired. */
  items(): Item[];
  /** Called before every write; what it throws is what the writer sees. `undefined` turns it off. */
  onWrite: ((writes: readonly Write[]) => void | Promise<void>) | undefined;
  /** Called after every write that was made; what it throws is what the writer sees: an answer that was lost. */
  onWritten: ((writes: readonly Write[]) => void) | undefined;
};

/** Who changes what others may share is found out here. */
const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

const id = ({ pk, sk }: Key) => `${pk}\u0000${sk}`;

export const createMemoryTable = (clock: Pick<Clock, 'now'> = { now: Date.now }): MemoryTable => {
  const items = new Map<string, Item>();
  const lives = (item: Item | undefined) => (item && !isExpired(item, clock.now()) ? item : undefined);
  const get = (key: Key) => structuredClone(lives(items.get(id(key))));

  const query = (options: Query): Item[] => {
    const { index, partition, descending, limit } = options;
    const range = rangeOf(options);
    if (!range) return [];
    const [pk, sk] = index ? [index, 'position'] : ['pk', 'sk'];
    const found = [...items.values()]
      .filter((item) => item[pk] === partition && typeof item[sk] === 'string' && lives(item))
      .map((item) => ({ item, sort: item[sk] as string }))
      .filter(({ sort }) => isWithin(range, sort))
      .sort((a, b) => compareText(a.sort, b.sort) * (descending ? -1 : 1));
    const copies = structuredClone(found.slice(0, limit).map(({ item }) => item));
    return index ? copies.map(freeze) : copies;
  };

  const table: MemoryTable = {
    onWrite: undefined,
    onWritten: undefined,
    items: () => structuredClone([...items.values()]),
    get: async (key) => get(key),
    getMany: async (keys) => keys.map(get),
    query: async (options) => query(options),
    write: async (writes) => {
      checkWrites(writes);
      await table.onWrite?.(writes);
      const before = writes.map((write) => items.get(id(keyOf(write))));
      writes.forEach((write, at) => {
        const item = before[at];
        const refused = (write.when ?? []).some((condition) => !holds(condition, item));
        if (refused) throw new ConditionFailed(at, structuredClone(item));
      });
      const after = writes.map((write, at) => structuredClone(apply(write, before[at])));
      for (const item of after) if (item) checkItem(item);
      writes.forEach((write, at) => {
        const [key, next] = [id(keyOf(write)), after[at]];
        if (next) items.set(key, next);
        else items.delete(key);
      });
      table.onWritten?.(writes);
    },
  };
  return table;
};
