/** Moving a real Ironic: looked at, ended in the middle, begun again, compared, and nothing of its secrets told. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type DatabaseServer, reader, startMariaDb } from '../databases/servers.ts';
import { ingot } from '../cli/served.ts';
import { serveFront } from '../cli/served-front.ts';
import { createIronic, type Ironic } from './ironic.ts';
import { canaries, failures, openAdministration, populate } from './populate.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const report = join(folder, 'report.json');
const own = { user: 'ironic', password: 'c4nary-of-the-database' } as const;

let server: DatabaseServer;
let ironic: Ironic;
let here: Awaited<ReturnType<typeof serveFront>>;

beforeAll(async () => {
  server = await startMariaDb();
  await server.create('ironic');
  const who = `${own.user}@'127.0.0.1'`;
  await server.exec('ironic', `create user ${who} identified by '${own.password}'; grant all on ironic.* to ${who}`);
  const at = `127.0.0.1:${server.port}/ironic`;
  ironic = await createIronic(folder, `mysql+pymysql://${own.user}:${own.password}@${at}`);
  await server.grant('ironic');
  await ironic.start();
  await populate(ironic, []);
  await ironic.stop();
  await server.exec('ironic', failures);
  await ironic.start();
  here = await serveFront();
});
afterAll(async () => {
  here?.close();
  await ironic?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const env = { INGOT_DATABASE_PASSWORD: reader.password };
const sides = () => ['--source', ironic.url, '--endpoint', here.endpoint];
const database = () => ['--database', `mysql://${reader.user}@127.0.0.1:${server.port}/ironic`];
const move = async (...args: string[]) => ingot(['import', 'ironic', ...sides(), ...args], env);
const compare = async () => ingot(['verify', 'ironic', ...sides()]);

const hasNoSecret = (...texts: readonly string[]): void => {
  for (const text of texts) {
    for (const canary of [...Object.values(canaries), own.password, reader.password])
      expect(text).not.toContain(canary);
  }
};

type Node = { readonly name: string; readonly maintenance: boolean; readonly maintenance_reason: string | null };
const nodesOf = async (url: string) =>
  (await openAdministration(url).ask('GET', '/v1/nodes/detail?include_children=true'))['nodes'] as readonly Node[];
const fencedNodes = async (): Promise<number> =>
  (await nodesOf(ironic.url)).filter(({ maintenance_reason: why }) => why?.startsWith('Moved to Ingot')).length;

describe('a real Ironic', () => {
  it('is looked at without a trace, and without its database its secrets are missed', async () => {
    const { code, out } = await move('--dry-run', '--report', report);
    expect([code, out]).toEqual([1, expect.stringContaining('rejected, missing-secrets: driver_info.ipmi_password')]);
    const looked = await move('--dry-run', ...database());
    expect([looked.code, looked.out]).toEqual([0, expect.stringContaining('node: 14 read, 14 would be imported')]);
    hasNoSecret(out, looked.out, readFileSync(report, 'utf8'));
    expect(await fencedNodes()).toBe(0);
  });

  it('is moved though the tool was ended between the fence and the first record', async () => {
    // Nobody answers where it is moved to, once all has been looked at.
    const { request } = here.front;
    const writes: string[] = [];
    here.front.request = async (line, options) => {
      const isWrite = line === 'POST /v1/imports' && !String(options?.body).includes('"dry_run":true');
      if (isWrite && String(options?.body).includes('"kind":"node"') && writes.push(line) === 1) {
        return { status: 404, headers: {}, body: {}, error: '' };
      }
      return request(line, options);
    };
    const ended = await move(...database());
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('answered an import with 404')]);
    expect(await fencedNodes()).toBe(14);

    const told = await move(...database(), '--report', report);
    expect([told.code, told.err]).toEqual([0, '']);
    expect(told.out).toContain('node: 14 read, 14 imported, 0 here already, 0 rejected');
    hasNoSecret(ended.err, told.out, readFileSync(report, 'utf8'));
    const nodes = await nodesOf(here.endpoint);
    expect(
      nodes.filter(({ maintenance }) => maintenance).map(({ name, maintenance_reason: why }) => [name, why]),
    ).toEqual(
      expect.arrayContaining([
        ['kept', 'the fan is loud'],
        ['spoilt', 'Cleaning failed.'],
      ]),
    );
    expect(nodes.filter(({ maintenance }) => maintenance)).toHaveLength(2);
  });

  it('is as it was there, and comes a second time as nothing new', async () => {
    const compared = await compare();
    expect([compared.code, compared.out]).toEqual([
      0,
      expect.stringMatching(/^\d+ records compared, 0 differences, 0 only here\n$/),
    ]);
    const again = await move(...database());
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing was changed: ')]);
  });

  it('differs once somebody works with it, and is not written over', async () => {
    await openAdministration(ironic.url).patch('enrolled', { description: 'changed' });
    const compared = await compare();
    expect([compared.code, compared.out]).toEqual([
      1,
      expect.stringContaining('node enrolled: description is "changed" at the source'),
    ]);
    const again = await move(...database());
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('is here with another description')]);
  });
});
