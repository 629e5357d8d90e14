/** The table in memory: the same rules as DynamoDB, evaluated on maps. */
import { apply, compareText, holds, isExpired, keyOf } from '../evaluate.ts';
import { checkItem, checkWrites } from '../limits.ts';
import type { Clock } from '../platform.ts';
import { isWithin, rangeOf } from '../range.ts';
import { ConditionFailed, type Item, type Key, type Query, type Scanned, type Table, type Write } from '../table.ts';

export type MemoryTable = Table & {
  /** Everything in it, also what has expired. */
  items(): Item[];
  /** Called before every write; what it throws is what the writer sees. `undefined` turns it off. */
  onWrite: ((writes: readonly Write[]) => void | Promise<void>) | undefined;
  /** Called after every write that was made; what it throws is what the writer sees: an answer that was lost. */
  onWritten: ((writes: readonly Write[]) => void) | undefined;
  /** Called with every item that a write changed, as it was and as it is: the feed. `undefined` turns it off. */
  onChange: ((key: Key, before: Item | undefined, after: Item | undefined) => void) | undefined;
};

/** Who changes what others may share is found out here. */
const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

const byKey = (a: Key, b: Key): number => compareText(a.pk, b.pk) || compareText(a.sk, b.sk);

/** Items by partition and sort key. */
const createItems = () => {
  const partitions = new Map<string, Map<string, Item>>();
  return {
    get: ({ pk, sk }: Key): Item | undefined => partitions.get(pk)?.get(sk),
    of: (pk: string): Item[] => [...(partitions.get(pk)?.values() ?? [])],
    all: (): Item[] => [...partitions.values()].flatMap((items) => [...items.values()]),
    put: (item: Item): void => {
      const items = partitions.get(item.pk) ?? new Map<string, Item>();
      partitions.set(item.pk, items.set(item.sk, item));
    },
    remove: ({ pk, sk }: Key): void => {
      const items = partitions.get(pk);
      items?.delete(sk);
      if (items?.size === 0) partitions.delete(pk);
    },
  };
};

export const createMemoryTable = (clock: Pick<Clock, 'now'> = { now: Date.now }): MemoryTable => {
  const items = createItems();
  const lives = (item: Item | undefined) => (item && !isExpired(item, clock.now()) ? item : undefined);
  const get = (key: Key) => lives(items.get(key));

  const query = (options: Query): Item[] => {
    const { partition, descending, limit } = options;
    const range = rangeOf(options);
    if (!range) return [];
    return items
      .of(partition)
      .filter((item) => lives(item) && isWithin(range, item.sk))
      .sort((a, b) => compareText(a.sk, b.sk) * (descending ? -1 : 1))
      .slice(0, limit);
  };

  const scan = (after: Key | undefined, limit: number): Scanned => {
    const rest = items
      .all()
      .filter((item) => lives(item) && (!after || byKey(item, after) > 0))
      .sort(byKey);
    const found = rest.slice(0, limit);
    const last = rest.length > limit ? found.at(-1) : undefined;
    return { items: found, next: last && { pk: last.pk, sk: last.sk } };
  };

  const table: MemoryTable = {
    onWrite: undefined,
    onWritten: undefined,
    onChange: undefined,
    items: () => structuredClone(items.all()),
    get: async (key) => get(key),
    getMany: async (keys) => keys.map(get),
    query: async (options) => query(options),
    scan: async ({ after, limit }) => scan(after, limit),
    write: async (writes) => {
      checkWrites(writes);
      await table.onWrite?.(writes);
      const before = writes.map((write) => items.get(keyOf(write)));
      writes.forEach((write, at) => {
        const item = before[at];
        const refused = (write.when ?? []).some((condition) => !holds(condition, item));
        if (refused) throw new ConditionFailed(at, item);
      });
      const after = writes.map((write, at) => freeze(structuredClone(apply(write, before[at]))));
      for (const item of after) if (item) checkItem(item);
      writes.forEach((write, at) => {
        const next = after[at];
        if (next) items.put(next);
        else items.remove(keyOf(write));
        if (next !== before[at] && !('check' in write)) table.onChange?.(keyOf(write), before[at], next);
      });
      table.onWritten?.(writes);
    },
  };
  return table;
};
