/** The way back into an Ironic's database, here a small one of SQLite. With a real Ironic: test/ironic. */
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';

import { mask } from '../../../layers/domain/masking.ts';
import type { Ironic, Values } from '../../../migrate/ironic/api.ts';
import { type Database, readDatabase, tablesIn } from '../../../migrate/ironic/export-database.ts';
import { createSql, type Dialect } from '../../../migrate/ironic/export-sql.ts';
import { exportAll } from '../../../migrate/ironic/export.ts';
import { secretsOfDatabase } from '../../../migrate/ironic/secrets-database.ts';
import { firstOf } from '../../../migrate/ironic/secrets.ts';
import { openSqlite } from '../../../migrate/sources/sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const path = join(folder, 'ironic.db');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As an older Ironic has it: without runbooks, and nodes without some columns. */
const schema = `
CREATE TABLE alembic_version (version_num VARCHAR(32));
INSERT INTO alembic_version VALUES ('of-the-test');
CREATE TABLE chassis (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, description TEXT, version TEXT);
CREATE TABLE nodes (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, name TEXT UNIQUE, instance_uuid TEXT UNIQUE, driver TEXT,
  driver_info TEXT, instance_info TEXT, driver_internal_info TEXT, provision_state TEXT, maintenance BOOLEAN,
  maintenance_reason TEXT, chassis_id INTEGER REFERENCES chassis, allocation_id INTEGER, console_enabled BOOLEAN,
  version TEXT, created_at DATETIME);
CREATE TABLE node_traits (node_id INTEGER, trait TEXT, version TEXT);
CREATE TABLE ports (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, address VARCHAR(18) UNIQUE NOT NULL, name TEXT UNIQUE,
  node_id INTEGER NOT NULL, version TEXT);
CREATE TABLE volume_connectors (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, node_id INTEGER, type TEXT, connector_id TEXT,
  version TEXT, UNIQUE (type, connector_id));
CREATE TABLE volume_targets (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, node_id INTEGER, boot_index INTEGER,
  properties TEXT, volume_id TEXT, version TEXT, UNIQUE (node_id, boot_index));
CREATE TABLE allocations (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, name TEXT UNIQUE, node_id INTEGER, version TEXT);
`;

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const open = <T>(use: (db: DatabaseSync) => T): T => {
  const db = new DatabaseSync(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
};

const rows = (sql: string): unknown[] =>
  open((db) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })),
  );

/** As sqlite3 does with the script. */
const load = (script: string): void => open((db) => db.exec(script.replaceAll(/^\..*$/gm, '')));

const node = (n: number, more: Values = {}): Values => ({
  uuid: id(n),
  name: `node-${n}`,
  driver: 'redfish',
  driver_info: { redfish_address: 'https://192.0.2.1', redfish_password: mask },
  provision_state: 'available',
  maintenance: false,
  traits: [],
  created_at: '2026-01-02T03:04:05.600000+00:00',
  ...more,
});

const withPassword = (n: number): string =>
  `INSERT INTO nodes (id, uuid, name, driver_info, driver_internal_info, provision_state, maintenance, maintenance_reason, version)
   VALUES (${n}, '${id(n)}', 'node-${n}', '{"redfish_password": "s3cret-${n}"}', '{"kept": 1}', 'active', 1, 'Moved', '1.40');`;

const exportOf = async (
  records: Partial<Record<string, readonly Values[]>>,
  given?: Values,
  asked: (database: Database) => Database = (database) => database,
  dialect: Dialect = 'sqlite',
) => {
  const ironic = {
    version: 115,
    pages: async function* (name: string) {
      if (records[name]) yield { records: records[name], again: async () => records[name]! };
    },
  } as unknown as Ironic;
  const first = openSqlite(path, {});
  const source = openSqlite(path, await tablesIn(first));
  await first.close();
  const places = given ? [{ of: async () => new Map([[given['uuid'] as string, given]]) }] : [];
  try {
    const secrets = firstOf([...places, secretsOfDatabase(source)]);
    const database = asked(await readDatabase(source));
    const about = ['For a test'];
    const { script, ...told } = await exportAll({
      ...{ ironic, secrets, database, dialect, replacements: [], about },
    });
    return { script: [...script].join('\n'), ...told };
  } finally {
    await source.close();
  }
};

beforeEach(() => {
  rmSync(path, { force: true });
  open((db) => db.exec(schema));
});

it('changes rows that are there, adds others, and leaves in them what only their service knows', async () => {
  open((db) => db.exec(withPassword(1)));
  const chassis = { uuid: id(8), description: `it's "7" \\n` };
  const { script, problems } = await exportOf({
    chassis: [chassis],
    node: [
      node(1, { traits: ['CUSTOM_B', 'CUSTOM_A'], chassis_uuid: id(8), allocation_uuid: id(9) }),
      node(2, { driver: 'fake-hardware', driver_info: {} }),
    ],
    port: [{ uuid: id(7), address: '52:54:00:00:00:01', node_uuid: id(2) }],
    allocation: [{ uuid: id(9), name: 'mine', node_uuid: id(1) }],
  });
  expect(problems).toEqual([]);
  load(script);
  load(script);
  expect(
    rows(
      'SELECT name, driver_info, driver_internal_info, maintenance, created_at, console_enabled, version FROM nodes',
    ),
  ).toEqual([
    {
      name: 'node-1',
      driver_info: '{"redfish_address":"https://192.0.2.1","redfish_password":"s3cret-1"}',
      driver_internal_info: '{"kept": 1}',
      maintenance: 0,
      created_at: '2026-01-02 03:04:05.600000',
      console_enabled: null,
      version: '1.40',
    },
    {
      name: 'node-2',
      driver_info: '{}',
      driver_internal_info: '{}',
      maintenance: 0,
      created_at: '2026-01-02 03:04:05.600000',
      console_enabled: 0,
      version: '1.40',
    },
  ]);
  expect(rows('SELECT description, version FROM chassis')).toEqual([{ description: `it's "7" \\n`, version: '1.3' }]);
  expect(rows('SELECT trait FROM node_traits')).toEqual([{ trait: 'CUSTOM_B' }, { trait: 'CUSTOM_A' }]);
  expect(
    rows(
      'SELECT n.name, c.uuid AS chassis, a.name AS allocation FROM nodes n JOIN chassis c ON c.id = chassis_id JOIN allocations a ON a.id = allocation_id AND a.node_id = n.id',
    ),
  ).toEqual([{ name: 'node-1', chassis: id(8), allocation: 'mine' }]);
  expect(rows('SELECT address, node_id FROM ports')).toEqual([{ address: '52:54:00:00:00:01', node_id: 2 }]);
});

it('lets names and addresses go from one to another', async () => {
  open((db) =>
    db.exec(`${withPassword(1)} ${withPassword(2)}
    INSERT INTO ports (uuid, address, node_id) VALUES ('${id(5)}', 'a', 1), ('${id(6)}', 'b', 2)`),
  );
  const { script } = await exportOf({
    node: [node(1, { name: 'node-2' }), node(2, { name: 'node-1' })],
    port: [
      { uuid: id(5), address: 'b', node_uuid: id(1) },
      { uuid: id(6), address: 'a', node_uuid: id(2) },
    ],
  });
  load(script);
  expect(rows('SELECT name FROM nodes ORDER BY id')).toEqual([{ name: 'node-2' }, { name: 'node-1' }]);
  expect(rows('SELECT address FROM ports ORDER BY id')).toEqual([{ address: 'b' }, { address: 'a' }]);
});

it('lets what is unique in two columns go from one to another', async () => {
  open((db) =>
    db.exec(`${withPassword(1)} ${withPassword(2)}
    INSERT INTO volume_connectors (uuid, node_id, type, connector_id) VALUES ('${id(5)}', 1, 'iqn', 'a'), ('${id(6)}', 1, 'iqn', 'b');
    INSERT INTO volume_targets (uuid, node_id, boot_index, properties) VALUES ('${id(7)}', 1, 0, '{}'), ('${id(8)}', 1, 1, '{}')`),
  );
  const connector = { node_uuid: id(1), type: 'iqn' };
  const { script, problems } = await exportOf({
    node: [node(1), node(2)],
    volume_connector: [
      { ...connector, uuid: id(5), connector_id: 'b' },
      { ...connector, uuid: id(6), connector_id: 'a' },
    ],
    volume_target: [
      { uuid: id(7), node_uuid: id(1), boot_index: 1, volume_id: 'v' },
      { uuid: id(8), node_uuid: id(1), boot_index: 0, volume_id: 'v' },
      { uuid: id(9), node_uuid: id(2), boot_index: 0, volume_id: 'v' },
    ],
  });
  expect(problems).toEqual([]);
  load(script);
  load(script);
  expect(rows('SELECT connector_id FROM volume_connectors ORDER BY id')).toEqual([
    { connector_id: 'b' },
    { connector_id: 'a' },
  ]);
  expect(rows('SELECT node_id, boot_index FROM volume_targets ORDER BY id')).toEqual([
    { node_id: 1, boot_index: 1 },
    { node_id: 1, boot_index: 0 },
    { node_id: 2, boot_index: 0 },
  ]);
});

it('tells what was deleted here and made anew, and what is kept by a record that can not go back', async () => {
  open((db) =>
    db.exec(`${withPassword(1)} ${withPassword(2)}
    INSERT INTO volume_targets (uuid, node_id, boot_index, properties) VALUES ('${id(7)}', 1, 0, '{}')`),
  );
  const { script, problems } = await exportOf({
    node: [
      node(1, { name: 'a' }),
      node(2, { name: 'b', provision_state: 'cleaning' }),
      node(3, { name: 'node-2', driver_info: {} }),
    ],
    volume_target: [{ uuid: id(8), node_uuid: id(1), boot_index: 0, volume_id: 'v' }],
  });
  expect(problems.filter(({ is }) => is === 'refused').map(({ name, detail }) => [name, detail])).toEqual([
    ['b', 'provision_state is cleaning: let it end, or abort it, and export again.'],
    ['node-2', `${id(2)} in nodes has this name too, and is not in the script either.`],
    [null, `${id(7)} in volume_targets has this boot_index and node_uuid too, and is not here: delete it there first.`],
  ]);
  load(script);
  expect(rows('SELECT name FROM nodes ORDER BY id')).toEqual([{ name: 'a' }, { name: 'node-2' }]);
});

it('gives a node that was converted here its password under its new name, and says where it is from', async () => {
  open((db) =>
    db.exec(`${withPassword(1)} ${withPassword(2)}
    UPDATE nodes SET driver = 'ipmi', driver_info = '{"ipmi_address": "192.0.2.1", "ipmi_password": "s3cret"}'`),
  );
  const given = { uuid: id(2), driver_info: { redfish_password: 'newer' } };
  const { script, problems } = await exportOf({ node: [node(1), node(2)] }, given);
  expect(problems.map(({ is, name, detail }) => [is, name, detail])).toEqual([
    [
      'warning',
      'node-1',
      'driver_info.redfish_password is what the database has as ipmi_password: if another one was given when it was converted, give that in --secrets.',
    ],
  ]);
  load(script);
  const info = (password: string) => `{"redfish_address":"https://192.0.2.1","redfish_password":"${password}"}`;
  expect(rows('SELECT driver, driver_info FROM nodes ORDER BY id')).toEqual([
    { driver: 'redfish', driver_info: info('s3cret') },
    { driver: 'redfish', driver_info: info('newer') },
  ]);
});

/** As a MySQL of utf8mb3 tells of its columns. */
const narrow = (database: Database): Database => ({
  ...database,
  tables: new Map(
    [...database.tables].map(([table, known]) => [
      table,
      {
        ...known,
        shapes: new Map(
          [...known.shapes].map(([column, shape]) => [
            column,
            { ...shape, characters: column === 'volume_id' ? 36 : null, bytes: 65_535, last: 0xffff },
          ]),
        ),
      },
    ]),
  ),
});

it('tells beforehand what columns have no place for, and cuts what nobody can write otherwise', async () => {
  open((db) =>
    db.exec(
      'ALTER TABLE nodes ADD COLUMN extra TEXT; ALTER TABLE nodes ADD COLUMN last_error TEXT; ALTER TABLE nodes ADD COLUMN description TEXT',
    ),
  );
  const own = { driver_info: {} };
  const { script, problems } = await exportOf(
    {
      node: [
        node(1, { ...own, extra: { note: 'é😀' }, last_error: 'it says 😀' }),
        node(2, { ...own, description: '😀' }),
        node(3, { ...own, extra: { long: 'x'.repeat(70_000) } }),
      ],
      volume_target: [{ uuid: id(8), node_uuid: id(1), boot_index: 3e9, volume_id: 'v'.repeat(37) }],
    },
    undefined,
    narrow,
  );
  expect(problems.map(({ is, name, detail }) => [is, name, detail])).toEqual([
    ['warning', 'node-1', 'last_error is in the script as far as this database has a place for it.'],
    [
      'refused',
      'node-2',
      'description has characters that this database has no place for: change that here, and export again.',
    ],
    ['refused', 'node-3', 'extra has 70011 bytes, and this database takes 65535: change that here, and export again.'],
    [
      'refused',
      null,
      'boot_index is a larger number than this database takes, volume_id has 37 characters, and this database takes 36: change that here, and export again.',
    ],
  ]);
  load(script);
  expect(rows('SELECT extra, last_error FROM nodes')).toEqual([
    { extra: String.raw`{"note":"\u00e9\ud83d\ude00"}`, last_error: 'it says ?' },
  ]);
});

it('knows that a MySQL finds names the same that differ in their case', async () => {
  const records = { node: [node(1, { driver_info: {} }), node(2, { name: 'NODE-1', driver_info: {} })] };
  const { problems } = await exportOf(records, undefined, (known) => known, 'mysql');
  expect(problems.map(({ name, detail }) => [name, detail])).toEqual([
    ['NODE-1', `${id(1)} in nodes has this name too, as this database compares them: change one of them here.`],
  ]);
  expect((await exportOf(records)).problems).toEqual([]);
});

it('leaves out what would be wrong there, with what belongs to it, and says why', async () => {
  open((db) => db.exec(withPassword(1)));
  const { script, problems, counts } = await exportOf({
    runbook: [{ uuid: id(4), name: 'CUSTOM_R', steps: [], traits: [] }],
    node: [
      node(2),
      node(3, { name: 'node-1', driver_info: {} }),
      node(4, { provision_state: 'deploying', driver_info: {} }),
    ],
    port: [{ uuid: id(5), address: 'a', node_uuid: id(2) }],
    allocation: [{ uuid: id(6), name: 'early', state: 'allocating' }],
  });
  expect(problems.map(({ is, name, detail }) => [is, name, detail])).toEqual([
    ['refused', 'CUSTOM_R', 'this schema has no table runbooks.'],
    ['refused', 'node-2', 'driver_info.redfish_password: neither the database nor --secrets has it.'],
    ['refused', 'node-1', `${id(1)} in nodes has this name too, and is not here: delete it there first.`],
    ['refused', 'node-4', 'provision_state is deploying: let it end, or abort it, and export again.'],
    ['refused', null, 'its node is not in the script.'],
    ['refused', 'early', 'it looks for a node: let that end, and export again.'],
    ['left', 'node-1', 'the database has it, and the service has not: it stays there as it is.'],
  ]);
  expect(counts.get('node')).toBe(0);
  load(script);
  expect(rows('SELECT uuid, maintenance FROM nodes')).toEqual([{ uuid: id(1), maintenance: 1 }]);
});

it('believes who gives a secret more than the database, and knows nothing of an instance that came later', async () => {
  open((db) => {
    db.exec(withPassword(1));
    db.exec(`UPDATE nodes SET instance_uuid = '${id(50)}', instance_info = '{"configdrive": "old"}'`);
  });
  const info = { configdrive: mask, root_gb: 7 };
  const given = { uuid: id(1), driver_info: { redfish_password: 'newer' } };
  const { script, problems } = await exportOf(
    { node: [node(1, { instance_uuid: id(51), instance_info: info, instance_name: 'web' })] },
    given,
  );
  expect(problems.map(({ is, detail }) => [is, detail])).toEqual([
    ['warning', 'instance_info.configdrive is not known, and left out: a rebuild needs it again.'],
    ['warning', 'this schema has no place for instance_name.'],
  ]);
  load(script);
  expect(rows('SELECT driver_info, instance_info FROM nodes')).toEqual([
    {
      driver_info: '{"redfish_address":"https://192.0.2.1","redfish_password":"newer"}',
      instance_info: '{"root_gb":7}',
    },
  ]);
});

it('changes nothing in a database of another schema', async () => {
  open((db) => db.exec(withPassword(1)));
  const { script } = await exportOf({ node: [node(1)] });
  open((db) => db.exec("UPDATE alembic_version SET version_num = 'another'"));
  expect(() => load(script)).toThrow('UNIQUE constraint failed: ingot_checks.what');
  expect(rows('SELECT maintenance FROM nodes')).toEqual([{ maintenance: 1 }]);
});

it('is refused for a database that is none of an Ironic', async () => {
  open((db) => db.exec('DROP TABLE alembic_version'));
  await expect(exportOf({})).rejects.toThrow('there is no revision in alembic_version');
});

it('writes each dialect as its own program reads it', () => {
  const value = `it's \\ "so";\n`;
  const written = (dialect: 'mysql' | 'postgresql' | 'sqlite') =>
    createSql(dialect).update('runbook_steps', id(1), { order: 1, args: value, public: true, owner: null });
  const where = `WHERE uuid = '${id(1)}';`;
  expect(written('mysql')).toBe(
    `UPDATE \`runbook_steps\` SET \`order\` = 1, \`args\` = 'it''s \\\\ "so";\\n', \`public\` = TRUE, \`owner\` = NULL ${where}`,
  );
  const other = `UPDATE "runbook_steps" SET "order" = 1, "args" = 'it''s \\ "so";\n', "public" = TRUE, "owner" = NULL ${where}`;
  expect([written('postgresql'), written('sqlite')]).toEqual([other, other]);
});
