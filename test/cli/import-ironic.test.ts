/** `npx ingot import ironic` and `verify ironic` as an operator starts them: processes, files, exit codes. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';

import { configdrive, fill, first, samples, second, secretsText } from '../migrate/ironic/site.ts';
import { ingot } from './served.ts';
import { serveFront } from './served-front.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
writeFileSync(at('secrets.json'), secretsText);

let there: Awaited<ReturnType<typeof serveFront>>;
let here: Awaited<ReturnType<typeof serveFront>>;
beforeEach(async () => {
  [there, here] = [await serveFront(), await serveFront()];
  await fill(there.front);
});
afterEach(() => {
  there.close();
  here.close();
});

const sides = () => ['--source', there.endpoint, '--endpoint', here.endpoint];
const move = async (...args: string[]) => ingot(['import', 'ironic', ...sides(), ...args]);
const secrets = ['--secrets', at('secrets.json')];
const maintained = async () => {
  const { body } = await there.front.request('GET /v1/nodes/detail?include_children=true');
  return (body.nodes as { maintenance_reason: string | null }[]).filter(({ maintenance_reason: why }) =>
    why?.startsWith('Moved to Ingot'),
  ).length;
};

/** As the tables of an Ironic have it. */
const makeDatabase = (path: string) => {
  const db = new DatabaseSync(path);
  db.exec(`CREATE TABLE nodes (id INTEGER PRIMARY KEY, uuid TEXT, updated_at TEXT, instance_uuid TEXT, driver_info TEXT, instance_info TEXT);
    CREATE TABLE volume_targets (id INTEGER PRIMARY KEY, uuid TEXT, properties TEXT);
    CREATE TABLE deploy_templates (id INTEGER PRIMARY KEY, uuid TEXT);
    CREATE TABLE deploy_template_steps (id INTEGER PRIMARY KEY, deploy_template_id INTEGER, interface TEXT, step TEXT, args TEXT);
    CREATE TABLE runbooks (id INTEGER PRIMARY KEY, uuid TEXT);
    CREATE TABLE runbook_steps (id INTEGER PRIMARY KEY, runbook_id INTEGER, interface TEXT, step TEXT, args TEXT);
    CREATE TABLE inspection_rules (id INTEGER PRIMARY KEY, uuid TEXT, conditions TEXT, actions TEXT);`);
  const recordOf = (kind: string) => samples.find((one) => one.kind === kind)!.record as Record<string, string>;
  const rowOf = (uuid: string) => {
    const { updated_at: at, instance_uuid: instance = null } = samples.find(({ record }) => record['uuid'] === uuid)!
      .record as { updated_at: string; instance_uuid?: string };
    return [at.replace('T', ' ').slice(0, 19), instance];
  };
  const put = (sql: string, ...values: (string | null)[]) => db.prepare(sql).run(...values);
  put(
    'INSERT INTO nodes VALUES (1, ?, ?, ?, ?, ?)',
    first,
    ...rowOf(first),
    JSON.stringify({ redfish_password: 'canary-1', redfish_address: 'of yesterday' }),
    JSON.stringify({ configdrive }),
  );
  put('INSERT INTO nodes VALUES (2, ?, ?, ?, ?, NULL)', second, ...rowOf(second), JSON.stringify({ ipmi_password: 'canary-2' }));
  put(
    'INSERT INTO volume_targets VALUES (1, ?, ?)',
    recordOf('volume_target')['uuid']!,
    '{"auth_password":"canary-3"}',
  );
  put('INSERT INTO deploy_templates VALUES (7, ?)', recordOf('deploy_template')['uuid']!);
  put(`INSERT INTO deploy_template_steps VALUES (1, 7, 'raid', 'create', ?)`, '{"token":"canary-step"}');
  put(
    'INSERT INTO inspection_rules VALUES (1, ?, NULL, ?)',
    recordOf('inspection_rule')['uuid']!,
    JSON.stringify((recordOf('inspection_rule') as Record<string, unknown>)['actions']),
  );
  db.close();
};

describe('a move', () => {
  it('is looked at first, then done, then changes nothing, then compares as equal, and tells no secret', async () => {
    const looked = await move(...secrets, '--dry-run', '--report', at('dry.json'));
    expect([looked.code, looked.err]).toEqual([0, '']);
    expect(looked.out).toContain('node: 3 read, 3 would be imported, 0 here already, 0 rejected\n');
    expect(await maintained()).toBe(0);

    const once = await move(...secrets, '--report', at('once.json'));
    expect([once.code, once.err]).toEqual([0, '']);
    expect(once.out).toContain('node: 3 read, 3 imported, 0 here already, 0 rejected\n');
    expect(await maintained()).toBe(3);

    const twice = await move(...secrets, '--report', at('twice.json'));
    expect([twice.code, twice.err]).toEqual([0, '']);
    expect(twice.out).toMatch(/Nothing was changed: \d+ records are here already\.\n$/);

    const compared = await ingot(['verify', 'ironic', ...sides(), '--report', at('verify.json')]);
    expect([compared.code, compared.out, compared.err]).toEqual([
      0,
      '12 records compared, 0 differences, 0 only here\n',
      '',
    ]);
    const verdict = JSON.parse(readFileSync(at('verify.json'), 'utf8')) as Record<string, unknown>;
    expect(verdict).toMatchObject({
      compared: 12,
      differences: [],
      only_here: [],
      not_compared: { node: { power_state: 'It is what the BMC says.' } },
    });

    await here.front.request('POST /v1/chassis', { body: { description: 'of another source' } });
    const more = await ingot(['verify', 'ironic', ...sides()]);
    expect([more.code, more.out]).toEqual([
      1,
      expect.stringMatching(/^chassis .*: is here, and not at the source\n.* 1 only here\n$/),
    ]);
    expect((await ingot(['verify', 'ironic', ...sides(), '--allow-others'])).code).toBe(0);

    const reports = ['dry', 'once', 'twice', 'verify'].map((name) => readFileSync(at(`${name}.json`), 'utf8'));
    const report = JSON.parse(reports[1]!) as { records: { uuid: string }[] } & Record<string, unknown>;
    expect(report).toMatchObject({ dry_run: false, written: true, source_version: '1.115', rejected: [] });
    expect(report.records.find(({ uuid }) => uuid === first)).toMatchObject({
      outcome: 'imported',
      record: { driver_info: { redfish_password: '******' }, instance_info: { configdrive: '******' } },
    });
    for (const text of [...reports, looked.out, once.out, twice.out]) expect(text).not.toMatch(/canary|H4sI/);
    expect(statSync(at('once.json')).mode & 0o777).toBe(0o600);
  });

  it('takes secrets from a database, and nothing else', async () => {
    makeDatabase(at('ironic.db'));
    const { code, err } = await move('--database', at('ironic.db'));
    expect([code, err]).toEqual([0, '']);
    const { body } = await here.front.request(`GET /v1/nodes/${first}`);
    expect(body.driver_info).toEqual({ redfish_address: 'https://10.0.0.1', redfish_password: '******' });
    expect((await ingot(['verify', 'ironic', ...sides()])).code).toBe(0);
    const rule = samples.find(({ kind }) => kind === 'inspection_rule')!.record['uuid'] as string;
    const item = await here.front.platform.table.get({ pk: `inspection_rule#${rule}`, sk: 'inspection_rule' });
    expect(JSON.stringify(item)).toContain('canary-rule');
  });

  it('writes nothing as long as something is rejected, and the others if that is allowed', async () => {
    const stopped = await move('--report', at('stopped.json'));
    expect([stopped.code, stopped.err]).toEqual([1, '']);
    expect(stopped.out).toContain(
      'node: rejected, missing-secrets: driver_info.redfish_password: the source shows ******.',
    );
    expect(stopped.out).toContain('Nothing was written. Mend what is rejected');
    expect(JSON.parse(readFileSync(at('stopped.json'), 'utf8'))).toMatchObject({ written: false });
    expect(await maintained()).toBe(0);
    const allowed = await move('--allow-rejected');
    expect([allowed.code, allowed.err]).toEqual([0, '']);
    expect(allowed.out).toContain('node: 3 read, 1 imported, 0 here already, 2 rejected\n');
    expect(await maintained()).toBe(1);
  });

  it('writes a template for the secrets that only its owner can read, whatever was there', async () => {
    writeFileSync(`${at('template.json')}.part`, '');
    chmodSync(`${at('template.json')}.part`, 0o644);
    const { code, out } = await ingot([
      'import',
      'ironic',
      '--source',
      there.endpoint,
      '--secrets-template',
      at('template.json'),
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('7 secrets are to be filled')]);
    expect(statSync(at('template.json')).mode & 0o777).toBe(0o600);
    const template = JSON.parse(readFileSync(at('template.json'), 'utf8')) as Record<string, Record<string, object>>;
    expect(template['node']![first]).toEqual({
      driver_info: { redfish_password: '' },
      instance_info: { configdrive: '' },
    });
    expect(template['deploy_template']).toEqual({
      [samples[1]!.record['uuid'] as string]: { steps: { 0: { args: { token: '' } } } },
    });
    // As it is, it fills nothing.
    expect((await move('--secrets', at('template.json'))).code).toBe(1);
  });

  it('asks each side as who its own token says', async () => {
    const env = { INGOT_SOURCE_TOKEN: 'canary-there', INGOT_TOKEN: 'canary-here' };
    const told = await ingot(
      ['import', 'ironic', ...sides(), '--source-auth', 'token', '--auth', 'token', ...secrets],
      env,
    );
    expect([told.code, told.err]).toEqual([0, '']);
    expect([[...there.proofs], [...here.proofs]]).toEqual([['canary-there'], ['canary-here']]);
    expect(told.out).not.toContain('canary');
  });
});

describe('a wrong command', () => {
  it.each<[args: string[], reason: string]>([
    [[], '--endpoint says where'],
    [['--dry-run'], '--source says where the Ironic is'],
    [['--dry-run', '--source', 'ftp://x'], 'is no http or https URL'],
    [
      ['--dry-run', '--source', 'http://metal.example', '--source-auth', 'token'],
      'There is no token for --source-auth',
    ],
    [['--dry-run', '--source', 'http://127.0.0.1:9', '--replace', 'name:a=b'], '--replace is FIELD:FROM=TO'],
    [['--secrets-template', at('t.json')], '--source says where the Ironic is'],
  ])('%j is told in one line', async (args, reason) => {
    const { code, out, err } = await ingot(['import', 'ironic', ...args]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^ingot: [^\n]*\n$/);
    expect(err).toContain(reason);
  });

  it.each<[args: string[], reason: string]>([
    [['--secrets', at('bad.json')], 'another form than --secrets-template writes'],
    [['--database', at('empty.db')], 'it is no database of Ironic'],
    [['--database', 'mysql://u:canary@127.0.0.1/ironic'], 'A password in --database can be read'],
    [['--database', 'x', '--secrets', 'y'], 'are two places'],
  ])('%j too, without what is in it', async (args, reason) => {
    writeFileSync(at('bad.json'), '{"node": "canary"}');
    if (!existsSync(at('empty.db'))) {
      const db = new DatabaseSync(at('empty.db'));
      db.exec('CREATE TABLE x (y)');
      db.close();
    }
    const { code, err } = await move(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
    expect(err).not.toContain('canary');
  });
});
