/** A table of which a function may use some partitions only, as IAM's leading keys have it on AWS. */
import { Fault } from '../domain/fault.ts';
import { keyOf } from './evaluate.ts';
import type { Table } from './table.ts';

/** What the names of partitions begin with, or are. */
export type Partitions = { readonly read: readonly string[]; readonly write: readonly string[] };

/** `open` ends with a star: all that begin so. */
const isIn = (open: readonly string[], partition: string): boolean =>
  open.some((one) => (one.endsWith('*') ? partition.startsWith(one.slice(0, -1)) : partition === one));

const denied = (what: string): Fault =>
  new Fault('AccessDenied', 500, `This function has no right to ${what} in the table: infra/grants.ts.`);

/** The table behind a fence. Whoever steps over it gets AccessDenied (500), before anything is read or written. */
export const fenceTable = (table: Table, { read, write }: Partitions): Table => {
  const check = (open: readonly string[], partitions: readonly string[]): void => {
    const out = partitions.find((partition) => !isIn(open, partition));
    if (out !== undefined) throw denied(out);
  };
  return {
    get: async (key) => {
      check(read, [key.pk]);
      return table.get(key);
    },
    getMany: async (keys, options) => {
      check(
        read,
        keys.map(({ pk }) => pk),
      );
      return table.getMany(keys, options);
    },
    query: async (options) => {
      check(read, [options.partition]);
      return table.query(options);
    },
    scan: async () => {
      throw denied('all');
    },
    write: async (writes) => {
      check(
        write,
        writes.map((one) => keyOf(one).pk),
      );
      return table.write(writes);
    },
  };
};
