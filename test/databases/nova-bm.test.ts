/** The sample of a nova_bm in real servers, live and as their own programs dump it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { mask } from '../../layers/domain/masking.ts';
import { expected, fixture, planFrom, type Planned } from '../migrate/nova-bm/planned.ts';
import { openSource } from '../../migrate/sources/open.ts';
import { makeCa } from '../fakes/bmc.ts';
import { type DatabaseServer, reader, sqliteDump, startMariaDb, startPostgresql } from './servers.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What dump programs have to escape, each in its way. */
const hostile = `it's "so"; \\ \\n \t\n\r -- /* $$ \\. üサ`;

const node = '00000063-bae0-4000-8000-000000000063';
const values = (text: string, no: string) =>
  `INSERT INTO bm_nodes (id, deleted, uuid, pm_address, pm_user, pm_password, instance_uuid, instance_name, task_state)
   VALUES (99, ${no}, '${node}', '192.0.2.99', ${text}, ${text}, '${node}', ${text}, 'active');`;

const mysqlText = `'${hostile.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const sqlText = `'${hostile.replaceAll("'", "''")}'`;

const checkHostile = ({ nodes }: Planned): void => {
  expect(nodes.find(({ uuid }) => uuid === node)).toMatchObject({
    driver_info: { ipmi_address: '192.0.2.99', ipmi_username: hostile, ipmi_password: hostile },
    instance_info: { display_name: hostile },
  });
};

const fileOf = (name: string, content: Buffer | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

type Side = {
  readonly scheme: string;
  readonly dialect: string;
  start(): Promise<DatabaseServer>;
  readonly hostile: string;
  /** Ways to dump. */
  readonly forms: { readonly [name: string]: readonly string[] };
};

const sides: readonly Side[] = [
  {
    scheme: 'mysql',
    dialect: 'mysql',
    start: startMariaDb,
    hostile: values(mysqlText, '0'),
    forms: {
      plain: [],
      'one row an INSERT, with columns': ['--skip-extended-insert', '--complete-insert'],
      'without comments': ['--compact', '--skip-comments'],
      'with double quotes around names': ['--compatible=ansi', '--default-character-set=utf8mb4'],
      'in one transaction, names unquoted': ['--hex-blob', '--single-transaction', '--skip-quote-names'],
    },
  },
  {
    scheme: 'postgresql',
    dialect: 'postgresql',
    start: startPostgresql,
    hostile: values(sqlText, 'false'),
    forms: {
      plain: [],
      'as INSERTs': ['--inserts'],
      'as INSERTs with columns': ['--column-inserts'],
      'many rows an INSERT': ['--rows-per-insert=5'],
      'only rows': ['--data-only'],
    },
  },
];

for (const { scheme, dialect, start, hostile: insert, forms } of sides) {
  describe(`a nova_bm in ${scheme}`, () => {
    let server: DatabaseServer;
    const url = (database: string) => `${scheme}://${reader.user}@127.0.0.1:${server.port}/${database}`;
    const access = { password: reader.password };

    beforeAll(async () => {
      server = await start();
      await server.create('nova_bm');
      await server.exec('nova_bm', fixture(`nova_bm_juno.${dialect}.sql`));
      await server.grant('nova_bm');
      await server.create('hostile', scheme === 'mysql' ? 'character set utf8mb4' : '');
      await server.exec('hostile', fixture(`nova_bm_juno.${dialect}.sql`));
      await server.exec('hostile', insert);
      await server.grant('hostile');
    });
    afterAll(async () => server.stop());

    it('is planned as expected, by a user who may read only', async () => {
      expect(await planFrom(url('nova_bm'), access)).toEqual(expected);
    });

    it('has every character of what is in there', async () => {
      checkHostile(await planFrom(url('hostile'), access));
    });

    for (const [name, args] of Object.entries(forms)) {
      it(`is planned the same from a dump: ${name}`, async () => {
        const path = fileOf(`${dialect}.sql`, await server.dump('nova_bm', ...args));
        expect(await planFrom(path)).toEqual(expected);
        checkHostile(await planFrom(fileOf(`${dialect}.sql`, await server.dump('hostile', ...args))));
      });
    }

    it('is read as it was at one moment, or, if it is read live, as it is by now', async () => {
      await server.create('moving');
      await server.exec('moving', 'CREATE TABLE moved (id int PRIMARY KEY)');
      await server.grant('moving');
      const rows = { moved: { key: 'id', columns: { id: 'number' } } } as const;
      const kept = await openSource(url('moving'), access, rows);
      const live = await openSource(url('moving'), { ...access, live: true }, rows);
      const counts = async () => [await kept.count('moved'), await live.count('moved')];
      expect(await counts()).toEqual([0, 0]);
      await server.exec('moving', 'INSERT INTO moved VALUES (1)');
      expect(await counts()).toEqual([0, 1]);
      await Promise.all([kept.close(), live.close()]);
    });

    it('is refused as a whole while its schema is an old one', async () => {
      await server.create('legacy');
      await server.exec(
        'legacy',
        "CREATE TABLE migrate_version (repository_id varchar(250), version int); INSERT INTO migrate_version VALUES ('nova_bm', 5);",
      );
      await server.grant('legacy');
      await expect(planFrom(url('legacy'), access)).rejects.toThrow(
        'migrate_version nova_bm is 5, required 10; upgrade',
      );
    });

    it('is told when nobody answers and when the password is wrong, without the password', async () => {
      const password = 'wr0ng-c4nary';
      const wrong = await planFrom(url('nova_bm'), { password }).catch((error: Error) => error.message);
      expect(wrong).toContain(`database nova_bm at 127.0.0.1:${server.port} can not be read`);
      expect(wrong).not.toContain(password);
      await expect(planFrom(`${scheme}://nova@127.0.0.1:1/nova_bm`, access)).rejects.toThrow('ECONNREFUSED');
    });

    it('proves by a certificate who it is, if one is asked for', async () => {
      const named = url('nova_bm').replace('127.0.0.1', 'localhost');
      expect(await planFrom(named, { ...access, ca: server.ca })).toEqual(expected);
      const other = fileOf('other.pem', (await makeCa()).cert);
      await expect(planFrom(named, { ...access, ca: other })).rejects.toThrow(
        /can not be read: .*(?:certificate|signature)/,
      );
      // The one that it shows is for localhost.
      await expect(planFrom(url('nova_bm'), { ...access, ca: server.ca })).rejects.toThrow(
        /has to be named as its certificate|does not match certificate's/,
      );
    });

    it('can be looked at from the command line, and no secret is told', async () => {
      const report = join(folder, 'report.json');
      const args = [
        'import',
        'nova-bm',
        '--source',
        url('nova_bm'),
        '--arch',
        'x86_64',
        '--dry-run',
        '--report',
        report,
      ];
      const env = { ...process.env, INGOT_SOURCE_PASSWORD: reader.password };
      const { code, told } = await new Promise<{ code: unknown; told: string }>((resolve) => {
        execFile(process.execPath, [join(root, 'cli/ingot.js'), ...args], { env }, (error, out, err) =>
          resolve({ code: error?.code ?? 0, told: out + err }),
        );
      });
      const text = readFileSync(report, 'utf8');
      expect(code).toBe(1);
      expect(told).toContain('nodes: 16 read, 10 would be imported, 5 rejected, 1 skipped');
      expect((JSON.parse(text) as Planned).summary).toEqual(expected.summary);
      expect(text).toContain(`"ipmi_password":"${mask}"`);
      for (const canary of [reader.password, 's3cret-']) expect(told + text).not.toContain(canary);
    });
  });
}

describe('a nova_bm of MySQL in latin1', () => {
  let server: DatabaseServer;
  const name = 'büro';
  const named = ({ nodes }: Planned) =>
    (nodes.find(({ uuid }) => uuid === node)!['instance_info'] as Record<string, string>)['display_name'];
  const from = async (database: string, charset?: string) =>
    named(
      await planFrom(`mysql://${reader.user}@127.0.0.1:${server.port}/${database}`, {
        password: reader.password,
        charset,
      }),
    );

  beforeAll(async () => {
    server = await startMariaDb();
    const juno = fixture('nova_bm_juno.mysql.sql')
      .replaceAll('CHARSET=utf8', 'CHARSET=latin1')
      .replaceAll('büro-サーバ-01', 'x');
    for (const database of ['matching', 'twofold']) {
      await server.create(database, 'character set latin1');
      await server.exec(database, juno);
      await server.grant(database);
    }
    await server.exec('matching', values(`'${name}'`, '0'));
    // As nova did whose connection said latin1 and sent UTF-8.
    await server.exec('twofold', `SET NAMES latin1; ${values(`'${name}'`, '0')}`);
  });
  afterAll(async () => server.stop());

  it('is read with the character set of its tables', async () => {
    expect(await from('matching')).toBe(name);
    expect(await from('twofold')).toBe('bÃ¼ro');
  });

  it('is read as the operator says, if the tables say what is not so', async () => {
    expect(await from('twofold', 'utf-8')).toBe(name);
  });

  it('is read from dumps in the character set that they say, or that the operator says', async () => {
    const right = fileOf('matching.sql', await server.dump('matching', '--default-character-set=latin1'));
    expect(named(await planFrom(right))).toBe(name);
    const double = fileOf('double.sql', await server.dump('twofold', '--default-character-set=latin1'));
    expect(named(await planFrom(double))).toBe('bÃ¼ro');
    expect(named(await planFrom(double, { charset: 'utf-8' }))).toBe(name);
    await expect(planFrom(right, { charset: 'utf-8' })).rejects.toThrow('bytes that are no utf-8');
  });
});

describe('a dump of sqlite3', () => {
  it('is planned as expected, with every character', async () => {
    const juno = fixture('nova_bm_juno.sqlite.sql');
    expect(await planFrom(fileOf('sqlite.sql', await sqliteDump(juno)))).toEqual(expected);
    checkHostile(await planFrom(fileOf('sqlite.sql', await sqliteDump(juno + values(sqlText, '0')))));
  });
});

describe('an archive of pg_dump', () => {
  it('is refused, with what makes a dump of it', async () => {
    const server = await startPostgresql();
    try {
      const path = fileOf('archive', await server.dump('postgres', '--format=custom'));
      await expect(planFrom(path)).rejects.toThrow(`pg_restore --file=nova_bm.sql ${path}`);
    } finally {
      await server.stop();
    }
  });
});
