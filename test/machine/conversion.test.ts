/** Machines of a nova_bm whose BMCs speak Redfish too: moved in with ipmi, converted, taken over. Their BMCs saw reads. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

const root = new URL('../..', import.meta.url).pathname;
let site: Site;

const ingot = async (args: readonly string[], env: object = {}): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    const all = [`${root}cli/ingot.js`, ...args, '--endpoint', site.url];
    execFile(process.execPath, all, options, (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out: out + err }),
    );
  });

/** As an import of nova-baremetal brings it. */
const recordOf = (machine: Machine, password = machine.password) => ({
  kind: 'node',
  record: {
    uuid: randomUUID(),
    name: machine.name,
    driver: 'ipmi',
    driver_info: { ipmi_address: '127.0.0.1', ipmi_username: machine.username, ipmi_password: password },
    instance_uuid: randomUUID(),
    provision_state: 'active',
    power_state: 'power on',
  },
});

/** Where the BMC of this machine is asked by Redfish. */
const accessOf = (machine: Machine): string[] => {
  const ca = join(site.folder, `${machine.name}.pem`);
  writeFileSync(ca, machine.certificate);
  const template = machine.address.replace('127.0.0.1', '{address}');
  return ['--address-template', template, '--system-id', machine.system_id, '--bmc-ca', ca];
};

const textsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'))
    .join('\n');

const askedOf = async (machine: Machine) =>
  (await site.requests(machine)).filter(({ side, path }) => side === 'bmc' && !path.includes('/Sessions'));

beforeAll(async () => {
  site = await startSite({ machines: 2, profiles: 'plain,dell', env: {} });
});

afterAll(async () => site?.stop());

it('takes the sample of nova-baremetal in as it stands, shown and kept from whoever wants machines', async () => {
  const source = `${root}test/fixtures/nova-bm/nova_bm_juno.mysql.sql`;
  const moved = await ingot([
    'import',
    'nova-bm',
    '--source',
    source,
    '--arch',
    'x86_64',
    '--source-is-stopped',
    '--allow-rejected',
  ]);
  expect([moved.code, moved.out]).toEqual([0, expect.stringContaining('nodes: 16 read, 10 imported, 5 rejected')]);
  const { body } = await site.call('GET', '/v1/nodes?driver=ipmi');
  expect(body['nodes']).toHaveLength(10);
  expect((await site.call('GET', '/v1/ports')).body['ports']).toHaveLength(9);
  const status = await ingot(['takeover', 'status']);
  expect([status.code, status.out]).toEqual([0, expect.stringMatching(/pending +0\n.*failed +0\nunconverted +[1-9]/s)]);
  expect((await ingot(['takeover', 'start'])).out).toContain('0 begun');
  const none = await ingot(['nodes', 'convert', '--all', '--dry-run', '--bmc-ca', 'false']);
  expect([none.code, none.out]).toEqual([1, expect.stringContaining('10 nodes: 10 failed.')]);
});

it('converts those whose BMCs answer by reads alone, and they can be taken over', async () => {
  const [one, wrong] = site.machines as [Machine, Machine];
  const { body } = await site.call('POST', '/v1/imports', {
    records: [recordOf(one), recordOf(wrong, 'canary-wrong')],
  });
  expect(JSON.stringify(body)).not.toContain('refused');
  const dry = await ingot(['nodes', 'convert', one.name, '--dry-run', ...accessOf(one)]);
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('1 nodes: 1 convertible.')]);
  const done = await ingot(['nodes', 'convert', one.name, ...accessOf(one)]);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('1 nodes: 1 converted.')]);
  const refused = await ingot(['nodes', 'convert', wrong.name, ...accessOf(wrong)]);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('1 nodes: 1 failed.')]);
  const given = ['nodes', 'convert', wrong.name, ...accessOf(wrong), '--bmc-user', wrong.username];
  expect(await ingot(given, { INGOT_BMC_PASSWORD: wrong.password })).toMatchObject({ code: 0 });
  expect((await ingot(['takeover', 'start', one.name, wrong.name])).out).toContain('2 begun');
  await until('the takeovers to end', async () => /completed +2\n/.test((await ingot(['takeover', 'status'])).out));
  for (const machine of site.machines) {
    const asked = await askedOf(machine);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await site.evidence(machine)).toMatchObject({ resets: [], violations: [] });
  }
  const texts = [textsIn(site.folder), site.output(), done.out, refused.out].join('\n');
  for (const secret of [one.password, wrong.password, 'canary-wrong']) expect(texts.includes(secret)).toBe(false);
});
