/**
 * From a real Ironic to Ingot and back: what its database holds afterwards is what Ingot had, and meanwhile no BMC is
 * written to by moving.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type DatabaseServer, loadSqlite, reader, startMariaDb, startPostgresql } from '../databases/servers.ts';
import { mask } from '../../layers/domain/masking.ts';
import { openIronic, type Values } from '../../migrate/ironic/api.ts';
import { exported, type ExportedName } from '../../migrate/ironic/export-database.ts';
import type { IronicResource } from '../../migrate/ironic/fields.ts';
import { secretsOfDatabase, tables } from '../../migrate/ironic/secrets-database.ts';
import { openService } from '../../migrate/service.ts';
import { openSource } from '../../migrate/sources/open.ts';
import { type Machine, type Site, startSite } from '../machine/site.ts';
import { temporaryFolder, until } from '../machine/system.ts';
import { createIronic, type Ironic } from './ironic.ts';
import { canaries, failures, openAdministration, populate } from './populate.ts';

const root = new URL('../..', import.meta.url).pathname;
const { path: folder, remove } = temporaryFolder();
const ofIronic = { user: 'ironic', password: 'c4nary-of-the-database' } as const;

let site: Site;
let server: DatabaseServer;
let ironic: Ironic;
let redfish: readonly Machine[];

type Told = { readonly code: number; readonly out: string };

const ingot = async (...args: string[]): Promise<Told> =>
  new Promise((resolve) => {
    const env = { ...process.env, INGOT_DATABASE_PASSWORD: reader.password };
    execFile(process.execPath, [`${root}cli/ingot.js`, ...args], { env }, (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out: out + err }),
    );
  });

const secretsOfSite = (): string[] => [
  newPassword,
  ...Object.values(canaries),
  ofIronic.password,
  reader.password,
  ...redfish.map(({ password }) => password),
];

/** It is told to an operator, who shows it to others. */
const hasNoSecret = (text: string): void => {
  for (const canary of secretsOfSite()) expect(text).not.toContain(canary);
};

/** What an API shows of all records, by resource and UUID. */
type Shown = ReadonlyMap<ExportedName, ReadonlyMap<string, Values>>;

const shownBy = async (url: string): Promise<Shown> => {
  const api = await openIronic(openService('The API', url, { auth: 'none' }), sleep);
  const all = new Map<ExportedName, Map<string, Values>>();
  for (const [name] of exported) {
    const found = new Map<string, Values>();
    for await (const { records } of api.pages(name)) {
      for (const record of records) found.set(record['uuid'] as string, record);
    }
    all.set(name, found);
  }
  return all;
};

/** Where the two do not show the same, and why. */
const differences: { readonly [N in ExportedName]?: { readonly [field: string]: string } } = {
  deploy_template: { description: 'This release of Ironic has none.' },
};

/** Times of a MySQL have no fractions. */
const inForm = (value: unknown, field: string, seconds: boolean): unknown => {
  if (!field.endsWith('_at') || typeof value !== 'string') return value;
  const [whole, fraction = ''] = value.replace('+00:00', '').split('.');
  return seconds ? whole : `${whole}.${fraction.padEnd(6, '0')}`;
};

/** What is not there as it is here: resource, name, field and both values. */
const missingIn = (there: Shown, here: Shown, seconds: boolean): unknown[] =>
  exported.flatMap(([name, { fields, left }]: readonly [ExportedName, IronicResource]) => {
    const compared = Object.keys(fields).filter(
      (field) => !fields[field]!.computed && !Object.hasOwn({ ...left, ...differences[name] }, field),
    );
    return [...here.get(name)!].flatMap(([uuid, record]) => {
      const other = there.get(name)!.get(uuid) ?? {};
      return compared
        .map((field) => [field, ...[record, other].map((one) => inForm(one[field], field, seconds))])
        .filter(([, value, found]) => !isDeepStrictEqual(value, found))
        .map((difference) => [name, record['name'] ?? uuid, ...difference]);
    });
  });

/** Deployed here with a configdrive, which nobody shows. */
const lost = ['node', 'kept', 'instance_info', { configdrive: mask }, {}];

beforeAll(async () => {
  // One after the other: what was started is stopped, whatever comes then.
  server = await startMariaDb();
  site = await startSite({ machines: 3, profiles: 'plain,hpe,dell', env: {} });
  redfish = site.machines;
  await server.create('ironic');
  const who = `${ofIronic.user}@'127.0.0.1'`;
  await server.exec(
    'ironic',
    `create user ${who} identified by '${ofIronic.password}'; grant all on ironic.* to ${who}`,
  );
  ironic = await createIronic(
    folder,
    `mysql+pymysql://${ofIronic.user}:${ofIronic.password}@127.0.0.1:${server.port}/ironic`,
  );
  await server.grant('ironic');
  await ironic.start();
  await populate(ironic, redfish);
  await ironic.stop();
  await server.exec('ironic', failures);
  await ironic.start();
});

afterAll(async () => {
  await ironic?.stop();
  await Promise.all([site?.stop(), server?.stop()]);
  remove();
});

const database = (): string => `mysql://${reader.user}@127.0.0.1:${server.port}/ironic`;
const script = join(folder, 'back.sql');
const secretsFile = join(folder, 'secrets.json');

/** What the database has in clear, by resource and UUID. */
const clearIn = async (named: string): Promise<ReadonlyMap<ExportedName, ReadonlyMap<string, Values>>> => {
  const source = await openSource(named, { password: reader.password }, tables);
  try {
    const all = [...(await shownBy(ironic.url))].map(async ([name, records]) => {
      return [name, await secretsOfDatabase(source).of(name, [...records.values()])] as const;
    });
    return new Map(await Promise.all(all));
  } finally {
    await source.close();
  }
};

const exportTo = async (named: string, ...args: string[]): Promise<Told> =>
  ingot('export', 'ironic', '--endpoint', site.url, '--database', named, '--out', script, ...args);

/** Requests to BMCs that are more than looking and logging in. */
const writesOf = async (machine: Machine, from: number) =>
  (await site.requests(machine))
    .slice(from)
    .filter(({ side, method, path }) => side === 'bmc' && method !== 'GET' && !path.includes('/Sessions'));

const newPassword = 'c4nary-of-a-new-one';

describe('a real Ironic', () => {
  const begun = new Map<Machine, number>();
  let before: ReadonlyMap<ExportedName, ReadonlyMap<string, Values>>;

  it('is moved, and its nodes are fenced', async () => {
    before = await clearIn(database());
    for (const machine of redfish) begun.set(machine, (await site.requests(machine)).length);
    const replaced = ['--replace', 'boot_interface:ipxe=redfish-virtual-media'];
    const from = ['--source', ironic.url, '--database', database()];
    const told = await ingot('import', 'ironic', ...from, '--endpoint', site.url, ...replaced);
    hasNoSecret(told.out);
    expect([told.code, told.out]).toEqual([0, expect.stringContaining('node: 17 read, 17 imported')]);
    const nodes = (await shownBy(ironic.url)).get('node')!;
    for (const node of nodes.values()) expect(node).toMatchObject({ maintenance: true });
  });

  it('is the same here as it is there', async () => {
    const from = ['--source', ironic.url, '--replace', 'boot_interface:ipxe=redfish-virtual-media'];
    const told = await ingot('verify', 'ironic', ...from, '--endpoint', site.url);
    hasNoSecret(told.out);
    expect([told.code, told.out]).toEqual([0, expect.stringContaining('0 diff')]);
  });

  it('is taken over without a write to a BMC', async () => {
    const names = ['working', 'guarded', 'rescued', ...redfish.slice(0, 2).map(({ name }) => `${name}-redfish`)];
    expect(await ingot('takeover', 'start', ...names, '--endpoint', site.url)).toMatchObject({
      code: 0,
      out: expect.stringContaining('5 begun') as string,
    });
    await until('the takeovers to end', async () => {
      const { out } = await ingot('takeover', 'status', '--endpoint', site.url);
      return /running +0\n(?:.*\n)?completed +5\n/.test(out);
    });
    for (const machine of redfish) expect(await writesOf(machine, begun.get(machine)!)).toEqual([]);
    expect(await site.requests(redfish[0]!)).not.toHaveLength(begun.get(redfish[0]!)!);
  });

  it('is worked with', async () => {
    const { ask, patch, provision } = openAdministration(site.url);
    // One gets the name that another has given up.
    await patch('managed', { name: 'managed-before' });
    await patch('card', { name: 'managed', description: 'It\'s "renamed"; \\n\n\\' });
    await ask('PUT', '/v1/nodes/free/traits', { traits: ['CUSTOM_SILVER'] });
    await ask('DELETE', '/v1/nodes/kept/maintenance');
    await ask('PUT', '/v1/nodes/enrolled/maintenance', { reason: 'since it was moved' });
    await ask('DELETE', '/v1/nodes/retired');
    await provision('working', 'deleted');
    await patch('kept', { instance_uuid: '00000000-1b00-4000-8000-000000000099' });
    await provision('kept', 'active');
    const driver_info = {
      redfish_address: 'https://192.0.2.9',
      redfish_username: 'root',
      redfish_password: newPassword,
      redfish_verify_ca: false,
    };
    const { uuid } = await ask('POST', '/v1/nodes', { name: 'fresh', driver: 'redfish', driver_info });
    await ask('POST', '/v1/ports', { node_uuid: uuid, address: '52:54:00:00:09:01' });
    writeFileSync(
      secretsFile,
      JSON.stringify({ node: { [uuid as string]: { driver_info: { redfish_password: newPassword } } } }),
    );
  });

  it('is told what can not go back, and that no password is in the way that it is told', async () => {
    const told = await exportTo(database());
    hasNoSecret(told.out);
    expect(told.code).toBe(1);
    expect(told.out).toMatch(/node fresh \(.*\): not exported, driver_info.redfish_password: neither/);
    expect(told.out).toMatch(/port .*: not exported, its node is not in the script/);
    expect(told.out).toMatch(/node kept \(.*\): instance_info.configdrive is not known/);
    expect(told.out).toMatch(/node retired \(.*\): the database has it, and the service has not/);
  });

  it('has afterwards what there was here', async () => {
    const told = await exportTo(database(), '--secrets', secretsFile);
    expect([told.code, told.out]).toEqual([0, expect.stringContaining('node: 17 written')]);
    expect(statSync(script).mode & 0o777).toBe(0o600);
    const here = await shownBy(site.url);
    await ironic.stop();
    // Twice is as good as once.
    for (const _ of [1, 2]) await server.exec('ironic', readFileSync(script, 'utf8'));
    await ironic.start();
    expect(missingIn(await shownBy(ironic.url), here, true)).toEqual([lost]);
    const after = await clearIn(database());
    // What was deployed meanwhile is another instance, whose configdrive nobody shows.
    const own = (known: Values | undefined) => ({ ...known, instance_info: undefined });
    for (const [name, records] of before) {
      for (const [uuid, known] of records) expect([name, own(after.get(name)!.get(uuid))]).toEqual([name, own(known)]);
    }
    expect(JSON.stringify([...after.get('node')!.values()])).toContain(newPassword);
  });

  it('works on', async () => {
    const { ask, provision } = openAdministration(ironic.url);
    const name = `${redfish[2]!.name}-redfish`;
    await provision(name, 'manage');
    await provision(name, 'provide');
    await ask('PUT', '/v1/nodes/managed/maintenance', { reason: 'again' });
  });

  it('can be another one, of which nothing is there but the schema', async () => {
    const clear = await clearIn(database());
    const known = [...clear].map(([name, records]) => [name, Object.fromEntries(records)]);
    writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(known)));
    await ironic.stop();
    const here = await shownBy(site.url);
    for (const { connection, named, load, stop } of [await inPostgresql(), await inSqlite()]) {
      const place = join(folder, named.slice(0, 4));
      mkdirSync(place);
      const other = await createIronic(place, connection);
      try {
        const told = await exportTo(named, '--secrets', secretsFile);
        hasNoSecret(told.out);
        expect([told.code, told.out]).toEqual([0, expect.stringContaining('node: 17 written')]);
        await load(readFileSync(script, 'utf8'));
        await other.start();
        expect(missingIn(await shownBy(other.url), here, false)).toEqual([lost]);
      } finally {
        await other.stop();
        await stop();
      }
    }
    hasNoSecret(site.output());
  });
});

type Empty = {
  /** As SQLAlchemy names it, and as we do. */
  readonly connection: string;
  readonly named: string;
  load(sql: string): Promise<void>;
  stop(): Promise<void>;
};

const inPostgresql = async (): Promise<Empty> => {
  const postgresql = await startPostgresql();
  const { user, password } = ofIronic;
  await postgresql.exec('postgres', `create role ${user} login password '${password}'`);
  await postgresql.create('ironic', `owner ${user}`);
  await postgresql.exec('postgres', `grant ${user} to ${reader.user}`);
  const at = `127.0.0.1:${postgresql.port}/ironic`;
  return {
    connection: `postgresql+psycopg2://${user}:${password}@${at}`,
    named: `postgresql://${reader.user}@${at}`,
    load: async (sql) => postgresql.exec('ironic', sql),
    stop: postgresql.stop,
  };
};

const inSqlite = async (): Promise<Empty> => {
  const file = join(folder, 'other.db');
  return {
    connection: `sqlite:///${file}`,
    named: `sqlite:///${file}`,
    load: async (sql) => loadSqlite(file, sql),
    stop: async () => undefined,
  };
};
