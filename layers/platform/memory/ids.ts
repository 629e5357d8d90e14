/** Ids that a test can foretell. */
import type { Ids } from '../platform.ts';

/** The nth UUID and ULID: 1 is the first. */
export const countedUuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const countedUlid = (n: number): string => `01${String(n).padStart(24, '0')}`;

/** What the name of an execution that works on this node looks like. */
export const nameOf = (uuid: string): RegExp => new RegExp(`^${uuid}-[0-9A-Z]{26}$`);

/** Counts up; UUIDs and ULIDs have a counter each. */
export const createCountedIds = (): Ids => {
  let uuids = 0;
  let ulids = 0;
  return { uuid: () => countedUuid((uuids += 1)), ulid: () => countedUlid((ulids += 1)) };
};
