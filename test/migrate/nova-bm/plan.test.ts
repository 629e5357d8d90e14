/** The sample data in every form in which a file can have it, against the result that was worked out by hand. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';

import { expected, fixture, fixtures, planFrom } from './planned.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const databaseOf = (name: string): string => {
  const path = join(folder, `${name}.db`);
  const db = new DatabaseSync(path);
  db.exec(`BEGIN; ${fixture(`${name}.sqlite.sql`)} COMMIT;`);
  db.close();
  return path;
};

describe('the sample of a nova_bm', () => {
  for (const dialect of ['mysql', 'postgresql', 'sqlite']) {
    it(`is planned as expected from a dump of ${dialect}`, async () => {
      expect(await planFrom(`${fixtures}nova_bm_juno.${dialect}.sql`)).toEqual(expected);
    });
  }

  it('is planned as expected from the file of a database, which stays as it is', async () => {
    const path = databaseOf('nova_bm_juno');
    const before = readFileSync(path);
    expect(await planFrom(path)).toEqual(expected);
    expect(await planFrom(`sqlite:///${path}`)).toEqual(expected);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('is planned as expected from a packed dump', async () => {
    const path = join(folder, 'dump.sql.gz');
    writeFileSync(path, gzipSync(fixture('nova_bm_juno.mysql.sql')));
    expect(await planFrom(path)).toEqual(expected);
  });
});

describe('an old schema', () => {
  const { reason, detail } = JSON.parse(fixture('expected_legacy_v5.json')) as Record<string, string>;

  it('is refused with the way to go, from dumps and from a database', async () => {
    for (const named of [
      `${fixtures}nova_bm_legacy_v5.mysql.sql`,
      `${fixtures}nova_bm_legacy_v5.sqlite.sql`,
      databaseOf('nova_bm_legacy_v5'),
    ]) {
      await expect(planFrom(named)).rejects.toMatchObject({ name: reason, message: detail });
    }
  });
});

describe('another database', () => {
  const refusal = async (sql: string): Promise<string> => {
    const path = join(folder, 'other.sql');
    writeFileSync(path, `PRAGMA foreign_keys=OFF;\n${sql}`);
    return planFrom(path).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    );
  };
  const version = (n: number) =>
    `CREATE TABLE migrate_version (repository_id, version); INSERT INTO migrate_version VALUES ('nova_bm', ${n});`;

  it('is refused, whether it is no nova_bm, too new, or lacks what this version has', async () => {
    expect(await refusal('CREATE TABLE x (a);')).toContain('has no row nova_bm in migrate_version');
    expect(await refusal(version(11))).toContain('is 11, required 10; no release of nova-baremetal had that one');
    expect(await refusal(`${version(10)} CREATE TABLE bm_nodes (id);`)).toContain('bm_nodes lacks deleted, uuid, cpus');
  });
});
