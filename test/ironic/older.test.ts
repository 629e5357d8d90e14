/** Moving an Ironic of OpenStack 2023.1, as Debian 12 has it: it lacks what came later, and its database has other columns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type DatabaseServer, reader, startPostgresql } from '../databases/servers.ts';
import { ingot } from '../cli/served.ts';
import { serveFront } from '../cli/served-front.ts';
import { createIronic, type Ironic } from './ironic.ts';
import { canaries, openAdministration, populate } from './populate.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const own = { user: 'ironic', password: 'c4nary-of-the-database' } as const;

let server: DatabaseServer;
let ironic: Ironic;
let here: Awaited<ReturnType<typeof serveFront>>;

beforeAll(async () => {
  server = await startPostgresql();
  await server.exec('postgres', `create role ${own.user} login password '${own.password}'`);
  await server.create('ironic', `owner ${own.user}`);
  await server.exec('postgres', `grant ${own.user} to ${reader.user}`);
  const at = `${own.user}:${own.password}@127.0.0.1:${server.port}/ironic`;
  ironic = await createIronic(folder, `postgresql+psycopg2://${at}`, '21.4');
  await ironic.start();
  await populate(ironic, []);
  here = await serveFront();
});
afterAll(async () => {
  here?.close();
  await ironic?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const sides = () => ['--source', ironic.url, '--endpoint', here.endpoint];
const database = () => `postgresql://${reader.user}@127.0.0.1:${server.port}/ironic`;
const env = { INGOT_DATABASE_PASSWORD: reader.password };
const move = async () => ingot(['import', 'ironic', ...sides(), '--database', database()], env);
const detail = '/v1/nodes/detail';

describe('an Ironic of 2023', () => {
  it('is moved with its secrets, none of which is told', async () => {
    const { code, out, err } = await move();
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('node: 14 read, 14 imported, 0 here already, 0 rejected');
    for (const canary of [...Object.values(canaries), own.password, reader.password]) expect(out).not.toContain(canary);
  });

  it('is as it was there, and comes a second time as nothing new', async () => {
    const compared = await ingot(['verify', 'ironic', ...sides()]);
    expect([compared.code, compared.out]).toEqual([
      0,
      expect.stringMatching(/^\d+ records compared, 0 differences, 0 only here\n$/),
    ]);
    const again = await move();
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing was changed: ')]);
  });

  it('works on none of its machines any more', async () => {
    const { ask } = openAdministration(ironic.url, ironic.microversion);
    const nodes = (await ask('GET', detail))['nodes'] as readonly { maintenance: boolean }[];
    expect(nodes.map(({ maintenance }) => maintenance)).toEqual(nodes.map(() => true));
  });
});
