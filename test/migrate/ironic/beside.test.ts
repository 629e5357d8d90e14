/** Histories and inventories out of a database: the same as the API tells, asked for many nodes at once, and only if they are of now. */
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';

import { besideOfDatabase, movedTables } from '../../../migrate/ironic/beside.ts';
import type { Source } from '../../../migrate/sources/source.ts';
import { sourceOfDatabase } from '../../../migrate/sources/sqlite.ts';
import { createSite, first, refusals, samples, second, type Site, summed, third } from './site.ts';

let site: Site;
let db: DatabaseSync;
beforeEach(async () => {
  site = await createSite();
  const { source } = site.between;
  // An Ironic shows no fractions that are zero.
  site.between.source = async (...asked) => {
    const { status, body } = await source(...asked);
    return { status, body: JSON.parse(JSON.stringify(body ?? null).replaceAll('.000+00:00', '+00:00')) as unknown };
  };
  db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE nodes (id INTEGER PRIMARY KEY, uuid TEXT, updated_at TEXT);
    CREATE TABLE node_history (id INTEGER PRIMARY KEY, node_id INTEGER, uuid TEXT, created_at TEXT, severity TEXT,
      event TEXT, event_type TEXT, user TEXT, project TEXT, state TEXT, target_provision_state TEXT, duration_seconds INTEGER);
    CREATE TABLE node_inventory (id INTEGER PRIMARY KEY, node_id INTEGER, created_at TEXT, inventory_data TEXT,
      plugin_data TEXT);`);
});

const inTable = (time: unknown): string | null =>
  typeof time === 'string' ? time.slice(0, -6).replace('T', ' ') : null;

type Told = Record<string, string | number | null>;

/** Writes what the API shows into the tables of a database. */
const store = async (uuid: string, id: number): Promise<void> => {
  const { updated_at } = await site.show(site.there, `nodes/${uuid}`);
  db.prepare('INSERT INTO nodes VALUES (?, ?, ?)').run(id, uuid, inTable(updated_at));
  const { history } = await site.show(site.there, `nodes/${uuid}/history?detail=true`);
  for (const one of history as Told[]) {
    const { user, project, state, target_provision_state: target, duration_seconds: took } = one;
    const { uuid: own, created_at, severity, event, event_type } = one;
    const values = [id, own, inTable(created_at), severity, event, event_type, user, project, state, target, took];
    const sql = `INSERT INTO node_history VALUES (NULL, ${values.map(() => '?').join(', ')})`;
    db.prepare(sql).run(...values.map((value) => value ?? null));
  }
};

const putInventory = (id: number, at: string, found: object) =>
  db
    .prepare('INSERT INTO node_inventory VALUES (NULL, ?, ?, ?, NULL)')
    .run(id, `2024-06-0${at} 10:00:00`, JSON.stringify(found));
const found = samples.find(({ kind }) => kind === 'inventory')!.record['inventory'] as object;

const open = (): Source => sourceOfDatabase('the database', db, movedTables);
const move = async () => site.move({ beside: await besideOfDatabase(await site.open(), open()) });
const askedBeside = () => site.asked.filter((one) => /\/(?:history|inventory)/.test(one));

/** After the fence, which the rows have as well. */
const fenceAll = async () => {
  await site.move();
  site.empty();
};

describe('a database', () => {
  it('has what the API tells, and is asked in its place', async () => {
    await fenceAll();
    for (const [at, uuid] of [first, second, third].entries()) await store(uuid, at + 1);
    // Older releases kept all that were found of a node.
    putInventory(1, '2', found);
    putInventory(1, '1', { cpu: { count: 1 } });
    const entries = await move();
    expect(refusals(entries)).toEqual([]);
    // One inventory is looked at, to see whether it is there that they are kept.
    expect(askedBeside()).toEqual([`GET /v1/nodes/${first}/inventory`]);
    expect((await site.show(site.here, `nodes/${first}/inventory`)).inventory).toEqual(found);
    expect(summed(await site.move())).toEqual({ identical: entries.length });
  });

  it('is not asked for a node that its source has changed since', async () => {
    await fenceAll();
    for (const [at, uuid] of [first, second, third].entries()) await store(uuid, at + 1);
    putInventory(1, '1', found);
    db.exec(
      `UPDATE nodes SET updated_at = '2024-01-01 00:00:00' WHERE id = 2; DELETE FROM node_history WHERE node_id = 2`,
    );
    const entries = await move();
    expect(askedBeside().filter((one) => !one.includes(first))).toEqual([
      expect.stringContaining(`${second}/history`),
      expect.stringContaining(`${second}/inventory`),
    ]);
    expect(summed(await site.move())).toEqual({ identical: entries.length });
  });

  it('that has no inventories, or others, is not asked for them', async () => {
    await fenceAll();
    for (const [at, uuid] of [first, second, third].entries()) await store(uuid, at + 1);
    putInventory(1, '1', { cpu: 'of a time before they were kept elsewhere' });
    expect(refusals(await move())).toEqual([]);
    expect(askedBeside().filter((one) => one.includes('history'))).toEqual([]);
    expect((await site.show(site.here, `nodes/${first}/inventory`)).inventory).toEqual(found);
  });

  it('of an older release has fewer columns, or no such tables', async () => {
    await fenceAll();
    await store(first, 1);
    db.exec('DROP TABLE node_history; DROP TABLE node_inventory');
    db.exec(
      'CREATE TABLE node_history (id INTEGER PRIMARY KEY, node_id INTEGER, uuid TEXT, created_at TEXT, severity TEXT, event TEXT)',
    );
    db.exec(
      `INSERT INTO node_history VALUES (1, 1, '90000000-0000-4000-8000-000000000009', '2024-06-02 10:00:00', 'ERROR', 'It is old.')`,
    );
    expect(refusals(await move())).toEqual([]);
    const { history } = await site.show(site.here, `nodes/${first}/history?detail=true`);
    expect(history).toContainEqual(expect.objectContaining({ event: 'It is old.', event_type: 'unknown' }));
  });
});
