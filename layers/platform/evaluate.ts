/**
 * Conditions and writes evaluated on items, for the tables that are not DynamoDB. DynamoDB's rules: a comparison of
 * different types never holds, strings compare by their UTF-8 bytes. Reads leave out items past their `expires_at`;
 * conditions may still see them until they are swept (on AWS: within days).
 */
import type { Condition, Item, Key, Write } from './table.ts';

/** The key a write goes to. */
export const keyOf = (write: Write): Key =>
  'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;

/** Less than 0, 0 or more, as DynamoDB sorts strings: by UTF-8 bytes, which JavaScript's `<` differs from. */
export const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Whether the table's TTL has passed; `now` is milliseconds since the epoch. */
export const isExpired = (item: Item, now: number): boolean =>
  typeof item['expires_at'] === 'number' && item['expires_at'] * 1000 <= now;

const isBelow = (value: unknown, bound: string | number): boolean =>
  typeof value === 'string' && typeof bound === 'string'
    ? compareText(value, bound) < 0
    : typeof value === 'number' && typeof bound === 'number' && value < bound;

/** Whether a condition holds of the stored item, undefined when there is none. */
export const holds = (condition: Condition, item: Item | undefined): boolean => {
  switch (condition.is) {
    case 'absent':
      return item === undefined;
    case 'present':
      return item !== undefined;
    case 'unset':
      return (item?.[condition.attribute] ?? null) === null;
    case 'equal':
      return item?.[condition.attribute] === condition.value;
    case 'below':
      return isBelow(item?.[condition.attribute], condition.value);
  }
};

/** The item after a write whose conditions hold; undefined when it is gone. Shares values with both arguments. */
export const apply = (write: Write, item: Item | undefined): Item | undefined => {
  if ('put' in write) return write.put;
  if ('delete' in write) return undefined;
  if ('check' in write) return item;
  const next: Record<string, unknown> = { ...item, ...write.set, pk: write.update.pk, sk: write.update.sk };
  for (const name of write.remove ?? []) delete next[name];
  return next as Item;
};
