/** `npx ingot import nova-servers` as an operator starts it, with the sample of a Nova and the nodes of the sample of a nova_bm. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { root, tenant } from '../functions/compute-api/front.ts';
import { createMachines } from '../functions/compute-api/machines.ts';
import { expected, fixture, fixtures } from '../migrate/nova-bm/planned.ts';
import { type Arrived, ingot, served } from './served.ts';

type Values = Record<string, unknown>;

const listing = `${fixtures}nova_servers.json`;
const { servers: listed } = JSON.parse(fixture('nova_servers.json')) as { servers: Values[] };
const project = tenant('2997526f-669c-4bd9-af5f-68c6ba0cc2f0', 'acf923f2-9b4d-4e0d-acfb-1b2976dd480f');
const [web, buro, failed, virtual] = listed.map(({ id }) => id as string);

let folder: string;
let machines: ReturnType<typeof createMachines>;
let target: Awaited<ReturnType<typeof served>>;
let arrived: Arrived[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
  machines = createMachines();
  for (const { uuid, instance_uuid, provision_state, power_state } of expected.nodes) {
    await machines.store({ uuid, instance_uuid, provision_state, power_state } as never);
  }
  arrived = [];
  target = await served(async (one) => {
    arrived.push(one);
    const version = one.headers['openstack-api-version']?.split(' ')[1] ?? null;
    return machines.request(one.line, { subject: root, body: one.body, version });
  });
});
afterEach(() => {
  target.stop();
  rmSync(folder, { recursive: true, force: true });
});

const report = () => join(folder, 'report.json');
const reported = () => JSON.parse(readFileSync(report(), 'utf8')) as Values;
const move = async (args: readonly string[] = [], env: Record<string, string> = {}) =>
  ingot(['import', 'nova-servers', '--servers', listing, '--endpoint', target.url, '--report', report(), ...args], env);
const list = async () =>
  (await machines.request('GET /v2.1/servers/detail', { subject: project })).body.servers as Values[];
const file = (name: string, value: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
};
/** The listing with something else of its first server. */
const withFirst = (more: Values) => file('servers.json', { servers: [{ ...listed[0], ...more }] });

describe('the sample', () => {
  it('is listed to its tenants afterwards, the newest first, and virtual machines stay where they are', async () => {
    const { code, out, err } = await move();
    expect([code, err, out]).toEqual([0, '', 'servers: 4 read, 3 imported, 0 rejected, 1 skipped\n']);
    const servers = await list();
    expect(servers.map(({ id, status }) => [id, status])).toEqual([
      [failed, 'ERROR'],
      [buro, 'ACTIVE'],
      [web, 'ACTIVE'],
    ]);
    expect(servers[2]).toMatchObject({
      name: 'web-01',
      created: '2014-09-10T11:19:01Z',
      addresses: listed[0]!['addresses'],
      flavor: { original_name: 'bm.large', vcpus: 8, ram: 16384, disk: 40 },
      image: { id: '66e81ebe-9d4f-45ae-b79b-b3d9dc989b21' },
    });
    expect(servers[1]!['name']).toBe('büro-サーバ-01');
    expect(reported()).toEqual({
      input: listing,
      dry_run: false,
      imported: [web, buro, failed].map((id) => ({
        id,
        name: listed.find((one) => one['id'] === id)!['name'],
        node_uuid: expected.nodes.find(({ instance_uuid }) => instance_uuid === id)!['uuid'],
      })),
      rejected: [],
      skipped: [{ id: virtual, name: 'vm-not-baremetal', reason: 'node-not-here' }],
      summary: { servers_read: 4, servers_imported: 3, servers_rejected: 0, servers_skipped: 1 },
    });
  });

  it('changes nothing the second time', async () => {
    await move();
    const before = await list();
    const { code, out } = await move();
    expect([code, out]).toEqual([0, 'servers: 4 read, 0 imported, 0 rejected, 4 skipped\n']);
    expect(await list()).toEqual(before);
  });

  it('can be looked at first', async () => {
    const { code, out } = await move(['--dry-run']);
    expect([code, out]).toEqual([0, 'servers: 4 read, 3 would be imported, 0 rejected, 1 skipped\n']);
    expect(await list()).toEqual([]);
  });

  it('is a conflict where it is here otherwise, which ends with 1 unless that is allowed', async () => {
    await move();
    await machines.request(`PUT /v2.1/servers/${web}`, { subject: project, body: { server: { name: 'mine' } } });
    const { code, out } = await move();
    expect(code).toBe(1);
    expect(out).toContain(`${web} web-01: rejected, conflict: Server ${web} is here with another name`);
    expect((await move(['--allow-rejected'])).code).toBe(0);
    expect((await list())[2]!['name']).toBe('mine');
  });
});

describe('a server', () => {
  it.each([
    [{ 'OS-EXT-STS:task_state': 'rebuilding' }, 'in-progress: task_state is rebuilding'],
    [{ status: 'BUILD' }, 'in-progress: status is BUILD'],
    [{ flavor: { id: '11' } }, 'unknown-flavor: the sizes of flavor 11 are not told'],
    [{ 'OS-EXT-SRV-ATTR:hypervisor_hostname': null }, 'unknown-node:'],
    [{ name: 'a\u001b[2Jb' }, 'refused: Invalid value for name'],
  ])('with %j is rejected', async (more, reason) => {
    const { code, out } = await move(['--servers', withFirst(more)]);
    expect([code, out]).toEqual([1, expect.stringContaining(reason)]);
    expect(out).not.toContain('\u001b');
    expect(await list()).toEqual([]);
  });

  it('that is odd is told and left, and ends nothing: most likely it is a virtual machine', async () => {
    const odd = (more: Values) => ({ ...listed[0], id: '11111111-0000-4000-8000-000000000001', name: 'odd', ...more });
    const there = odd({ addresses: 'none', 'OS-EXT-SRV-ATTR:hypervisor_hostname': 'kvm-7' });
    const here = odd({ created: 7 });
    const { code, out } = await move(['--servers', file('servers.json', { servers: [there, here, ...listed] })]);
    expect(code).toBe(1);
    expect(out).toMatch(/odd: rejected, unreadable: it is not as Nova shows it: created: /);
    expect(out).toContain('servers: 6 read, 3 imported, 1 rejected, 2 skipped\n');
  });

  it('that is deleted is skipped', async () => {
    await move(['--servers', withFirst({ status: 'DELETED' })]);
    expect(reported()['skipped']).toMatchObject([{ id: web, reason: 'deleted' }]);
  });

  it('of an older Nova has its flavor from the list of those', async () => {
    const one = { id: '11', name: 'bm.old', vcpus: 8, ram: 16384, disk: 40, swap: '', 'OS-FLV-EXT-DATA:ephemeral': 2 };
    const flavors = file('flavors.json', { flavors: [one] });
    const { code } = await move(['--servers', withFirst({ flavor: { id: '11', links: [] } }), '--flavors', flavors]);
    expect(code).toBe(0);
    expect((await list())[0]!['flavor']).toMatchObject({ original_name: 'bm.old', ephemeral: 2, swap: 0 });
  });

  it('keeps what its tenant chose for it', async () => {
    const more = {
      metadata: { a: 'b' },
      key_name: 'old',
      config_drive: '',
      locked: true,
      description: 'a word',
      tags: ['x'],
      security_groups: [{ name: 'default' }, { name: 'default' }],
      'OS-SRV-USG:launched_at': '2014-09-10T11:22:33.000000',
      'OS-EXT-SRV-ATTR:hostname': 'other',
      'OS-EXT-SRV-ATTR:user_data': 'YzRuYXJ5',
      'OS-DCF:diskConfig': 'AUTO',
    };
    expect((await move(['--servers', withFirst(more)])).code).toBe(0);
    const { 'OS-EXT-SRV-ATTR:user_data': data, ...others } = more;
    const [shown] = await list();
    expect(shown).toMatchObject({ ...others, security_groups: [{ name: 'default' }] });
    expect(shown).not.toHaveProperty('OS-EXT-SRV-ATTR:user_data');
    const seen = await machines.ask(`GET /v2.1/servers/${web}`);
    expect(seen.body.server['OS-EXT-SRV-ATTR:user_data']).toBe(data);
    expect(readFileSync(report(), 'utf8')).not.toContain(data);
  });
});

describe('a Nova that runs', () => {
  it('is only read, page by page, as who its own token says', async () => {
    const asked: Arrived[] = [];
    const nova = await served(async (one) => {
      asked.push(one);
      const { pathname, searchParams } = new URL(one.line.split(' ')[1]!, 'http://nova');
      if (pathname.endsWith('/flavors/detail')) return { status: 200, body: { flavors: [] } };
      // An old one knows no microversion, and has pages of its own size.
      if (one.headers['openstack-api-version']) return { status: 406, body: {} };
      const from = listed.findIndex(({ id }) => id === searchParams.get('marker')) + 1;
      return { status: 200, body: { servers: listed.slice(from, from + 2) } };
    });
    const env = { INGOT_SOURCE_TOKEN: 'c4nary-source', INGOT_TOKEN: 'c4nary-target' };
    const auth = ['--source-auth', 'token', '--auth', 'token'];
    const { code, out, err } = await move(['--servers', `${nova.url}/v2/a-project`, ...auth], env);
    nova.stop();
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('3 imported');
    const tokens = (all: readonly Arrived[]) => [...new Set(all.map(({ headers }) => headers['x-auth-token']))];
    expect([tokens(asked), tokens(arrived)]).toEqual([['c4nary-source'], ['c4nary-target']]);
    expect(asked.filter(({ line }) => !line.startsWith('GET /v2/a-project/'))).toEqual([]);
    expect(out + readFileSync(report(), 'utf8')).not.toContain('c4nary');
  });
});

it.each([
  [['--servers', '/missing'], 'The file /missing can not be read'],
  [['--servers', import.meta.filename], 'is no JSON'],
  [['--servers', `${fixtures}flavors.json`], 'The file of servers is not as Nova shows it'],
  [['--servers', 'http://nova.example', '--source-auth', 'token'], 'There is no token for --source-auth'],
  [['--endpoint', 'nowhere'], 'is no http or https URL'],
])('tells what is wrong with %j', async (args, reason) => {
  const { code, err } = await move(args);
  expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
});

it('refuses a file that has the first page of a list only, of which the others would be lost', async () => {
  const links = [{ rel: 'next', href: 'http://nova/v2/servers/detail?marker=1' }];
  const one = file('page.json', { servers: listed, servers_links: links });
  const { code, err } = await move(['--servers', one]);
  expect([code, err]).toEqual([2, expect.stringContaining('has one page of several')]);
  expect(await list()).toEqual([]);
  const all = file('all.json', { servers: listed, servers_links: [] });
  expect((await move(['--servers', all])).code).toBe(0);
});
