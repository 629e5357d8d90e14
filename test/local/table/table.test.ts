import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, describe, expect, it } from 'vitest';

import { connect } from '../../../local/rpc.ts';
import { startTable } from '../../../local/table/start.ts';
import { openTable } from '../../../local/table/table.ts';
import { createWriter, type Writer } from '../../../local/table/writer.ts';
import { absent, type Table, type Write } from '../../../layers/platform/table.ts';
import { describeTable } from '../../conformance/table.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-table-'));
let files = 0;
const newPath = () => join(folder, `${(files += 1)}`, 'table.db');
afterAll(() => rmSync(folder, { recursive: true }));

/** A table and its writer in this thread. */
const makeTable = (path = newPath(), clock = createVirtualClock({ start: Date.now() })) => {
  const writer = createWriter(path, clock);
  return { path, clock, writer, table: openTable({ path, writer, clock }) };
};

describeTable('the table on node:sqlite', async () => {
  const { table, writer } = makeTable();
  return {
    table,
    close: async () => {
      table.close();
      await writer.close();
    },
  };
});

describeTable('the table on node:sqlite with its writer in another thread', async () => {
  const path = newPath();
  const thread = await startTable(path);
  const port = thread.port();
  const table = openTable({ path, writer: connect<Writer>(port) });
  return {
    table,
    close: async () => {
      table.close();
      port.close();
      await thread.stop();
    },
  };
});

describe('group commit', () => {
  it('keeps what is right of a group in which others are refused', async () => {
    const { table, writer } = makeTable();
    const key = (n: number) => ({ pk: 'group', sk: `${n}` });
    const writes = Array.from({ length: 2500 }, (_, n): Write => ({ put: { ...key(n % 2000), n }, when: [absent] }));
    const results = await Promise.allSettled(writes.map(async (write) => table.write([write])));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2000);
    expect(results.findIndex(({ status }) => status === 'rejected')).toBe(2000);
    expect(await table.query({ partition: 'group' })).toHaveLength(2000);
    await writer.close();
  });

  it('commits what was asked before the writer closed', async () => {
    const { path, table, writer } = makeTable();
    const write = table.write([{ put: { pk: 'a', sk: 'last' } }]);
    // The write is with the writer one turn later, when its promise has been made.
    await Promise.resolve();
    await writer.close();
    await write;
    expect(await makeTable(path).table.get({ pk: 'a', sk: 'last' })).toBeDefined();
  });
});

describe('items that are read', () => {
  const write = async (table: Table, sk: string, n: number) => table.write([{ put: { pk: 'a', sk, n } }]);
  const read = async (table: Table) => table.query({ partition: 'a' });

  it('are kept as far as a thread was told to', async () => {
    const { path, clock, writer, table } = makeTable();
    const keys = ['1', '2', '3'].map((sk) => ({ pk: 'kept', sk }));
    for (const key of keys) await table.write([{ put: { ...key, text: 'x'.repeat(100) } }]);
    const isSame = async (keeps: number) => {
      const reader = openTable({ path, writer, clock, keeps });
      const first = await reader.get(keys[0]!);
      await reader.getMany(keys);
      const again = await reader.get(keys[0]!);
      reader.close();
      return first === again;
    };
    expect([await isSame(1000), await isSame(100)]).toEqual([true, false]);
  });

  it('are the same objects until one is written, and then only the others are', async () => {
    const { table, writer } = makeTable();
    await write(table, 'one', 1);
    await write(table, 'two', 1);
    const [one, two] = await read(table);
    expect(await read(table)).toEqual([one, two]);
    await write(table, 'two', 2);
    const [oneAgain, twoAgain] = await read(table);
    expect(oneAgain).toBe(one);
    expect(twoAgain).toMatchObject({ n: 2 });
    expect(two).toMatchObject({ n: 1 });
    await writer.close();
  });

  it('are not those of an earlier item that was deleted and made again', async () => {
    const { table, writer } = makeTable();
    await write(table, 'one', 1);
    await read(table);
    await table.write([{ delete: { pk: 'a', sk: 'one' } }]);
    await write(table, 'one', 2);
    expect(await read(table)).toMatchObject([{ n: 2 }]);
    await writer.close();
  });

  it('end when they expire, also when that was put off or brought forward', async () => {
    const { clock, table, writer } = makeTable();
    const seconds = Math.floor(clock.now() / 1000);
    await table.write([{ put: { pk: 'a', sk: 'one', expires_at: seconds + 3600 } }]);
    await table.write([{ update: { pk: 'a', sk: 'one' }, set: { expires_at: seconds + 60 } }]);
    expect(await read(table)).toHaveLength(1);
    clock.advance(61_000);
    expect(await read(table)).toEqual([]);
    await table.write([{ update: { pk: 'a', sk: 'one' }, remove: ['expires_at'] }]);
    expect(await read(table)).toHaveLength(1);
    await writer.close();
  });

  it('cannot be changed by who reads them', async () => {
    const { table, writer } = makeTable();
    await table.write([{ put: { pk: 'a', sk: 'one', deep: { list: [1] } } }]);
    const [item] = await read(table);
    expect(() => (item!['deep'] as { list: number[] }).list.push(2)).toThrow(TypeError);
    await writer.close();
  });
});

describe('the sweep', () => {
  it('removes what has expired from the file, and nothing else', async () => {
    const { path, clock, table, writer } = makeTable();
    const expires = Math.floor(clock.now() / 1000) + 60;
    await table.write([
      { put: { pk: 'a', sk: 'short', expires_at: expires } },
      { put: { pk: 'a', sk: 'long', expires_at: expires + 3600 } },
      { put: { pk: 'a', sk: 'ever' } },
    ]);
    clock.advance(61_000);
    await writer.sweep();
    // A reader with an old clock sees what is really there.
    const early = openTable({ path, writer, clock: { now: () => 0 } });
    expect((await early.query({ partition: 'a' })).map(({ sk }) => sk)).toEqual(['ever', 'long']);
    await writer.close();
  });
});

describe('a file that is not right', () => {
  const damage: Readonly<Record<string, (path: string) => Promise<void>>> = {
    'with another beginning': async (path) => writeFileSync(path, 'this is not a database, it only looks like one'),
    'cut in half': async (path) => truncateSync(path, 40_000),
    'overwritten in the middle': async (path) => {
      const file = await open(path, 'r+');
      await file.write(Buffer.alloc(8192, 0xa5), 0, 8192, 8192);
      await file.close();
    },
  };
  const fill = async (path: string) => {
    const { table, writer } = makeTable(path);
    await table.write(Array.from({ length: 90 }, (_, n) => ({ put: { pk: 'a', sk: `${n}`, body: 'x'.repeat(1000) } })));
    table.close();
    await writer.close();
  };

  it.each(Object.entries(damage))('(%s) is refused in one sentence that names it', async (_what, harm) => {
    const path = newPath();
    await fill(path);
    await harm(path);
    const sentence = new RegExp(`The table file ${path} is damaged .*move it away to start with an empty table\\.$`);
    expect(() => createWriter(path)).toThrow(expect.objectContaining({ name: 'Damaged' }));
    expect(() => createWriter(path)).toThrow(sentence);
    await expect(startTable(path)).rejects.toThrow(sentence);
  });

  it('(made by another version) is refused too', async () => {
    const path = newPath();
    await fill(path);
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => createWriter(path)).toThrow(/is not one that this version of Ingot can read/);
  });

  it('(a folder that cannot be written) is said', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => createWriter(join(file, 'table.db'))).toThrow(expect.objectContaining({ name: 'Unavailable' }));
  });

  it('is missed by a reader that comes before the writer', () => {
    expect(() => openTable({ path: newPath(), writer: { write: async () => undefined } })).toThrow(
      /the writer has to be started first/,
    );
  });
});

describe('SIGKILL under load', () => {
  it('loses nothing that was acknowledged', async () => {
    const path = newPath();
    const child = spawn(process.execPath, [join(import.meta.dirname, 'load.ts'), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === 1500) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');

    const { table, writer } = makeTable(path);
    const found = await table.getMany(acknowledged.map((sk) => ({ pk: `load#${sk}`, sk })));
    expect(acknowledged.filter((_sk, at) => found[at] === undefined)).toEqual([]);
    // Both items of a transaction or none.
    const listed = await table.query({ partition: 'load' });
    const pairs = await table.getMany(listed.map(({ sk }) => ({ pk: `load#${sk}`, sk: 'pair' })));
    expect(listed.length).toBeGreaterThanOrEqual(acknowledged.length);
    expect(pairs.filter((pair) => pair === undefined)).toEqual([]);
    await writer.close();
  });
});
