/** The table of one machine: reads in the calling thread, writes by the one writer. */
import { explain, openForReading } from './database.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { checkWrites } from '../../layers/platform/limits.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import type { Table } from '../../layers/platform/table.ts';
import { createReader } from './reader.ts';
import type { Writer } from './writer.ts';

export type LocalTable = Table & {
  /** Closes this thread's connection; the writer is not touched. */
  close(): void;
};

export type TableOptions = {
  readonly path: string;
  /** `connect<Writer>(port)` of a port that the table thread serves, or a writer of this thread. */
  readonly writer: Writer;
  readonly clock?: Pick<Clock, 'now'>;
  /** Characters of JSON, of what was read last, that are kept parsed; twice as many at most, a byte each. */
  readonly keeps?: number;
};

/** Of a thread that works with a few items at a time, which change as fast. */
const few = 2 ** 20;

/**
 * Opens the table for one thread; its writer must be open already. Throws Damaged (500), Unavailable (503), also later
 * when a read meets a broken file.
 */
export const openTable = ({ path, writer, clock = systemClock, keeps = few }: TableOptions): LocalTable => {
  const database = openForReading(path);
  const read = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explain(path, error);
    }
  };
  const reader = read(() => createReader(database, clock.now, keeps));
  return {
    get: async (key) => read(() => reader.get(key)),
    getMany: async (keys) => read(() => reader.getMany(keys)),
    query: async (query) => read(() => reader.query(query)),
    scan: async ({ after, limit }) => read(() => reader.scan(after, limit)),
    write: async (writes) => {
      checkWrites(writes);
      await writer.write(writes);
    },
    close: () => database.close(),
  };
};
