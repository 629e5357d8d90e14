/** scripts/backfill-instance-metadata, as operators start it, against the Bare Metal API and a Nova. */
import { readFileSync } from 'node:fs';

import { afterEach, describe, expect, it } from 'vitest';

import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { backfill, type Outcome } from '../../../scripts/backfill/backfill.ts';
import { serversIn } from '../../../migrate/nova/servers.ts';
import { openService } from '../../../migrate/service.ts';
import { fixture, type Nova, openSite, type Site } from './site.ts';

type Server = Record<string, unknown> & { id: string };
type Report = {
  set_lessee: boolean;
  dry_run: boolean;
  summary: Record<string, number>;
  nodes: Outcome[];
};

const { servers } = fixture('nova_servers.json') as { servers: Server[] };
const expected = (fixture('expected_backfill.json') as { nodes: Outcome[] }).nodes;
const imported = (fixture('expected.json') as { nodes: StoredNode[] }).nodes;

const sites: Site[] = [];
const open = async (...options: Parameters<typeof openSite>): Promise<Site> => {
  const site = await openSite(...options);
  sites.push(site);
  return site;
};
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

/** The nodes of the fixture, as an import would have made them. */
const withFixture = async (site: Site): Promise<Site> => {
  for (const { uuid, instance_uuid, instance_info, provision_state } of imported) {
    await site.store({ uuid, instance_uuid, instance_info, provision_state });
  }
  return site;
};

/** Nova with the servers of the fixture. */
const nova: Nova = (path) => {
  if (path.startsWith('/flavors/detail')) return { flavors: [] };
  const server = servers.find(({ id }) => path === `/servers/${id}`);
  return server ? { server } : 404;
};

const reportOf = ({ code, stdout, stderr }: Awaited<ReturnType<Site['run']>>): Report => {
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Report;
};

/** Without what an address has besides: that may be more than the fixture says. */
const plain = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.map(({ added, ...outcome }) => ({
    ...outcome,
    added: Object.fromEntries(
      Object.entries(added).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? (value as { address: string; type: string; version: number }[]).map(({ address, type, version }) => ({
              address,
              type,
              version,
            }))
          : value,
      ]),
    ),
  }));

const infoOf = async (site: Site) =>
  Object.fromEntries(
    await Promise.all(expected.map(async ({ node_uuid: id }) => [id, (await site.read(id)).instance_info])),
  );

describe('the backfill', () => {
  it('adds what the fixture expects, out of a file', async () => {
    const site = await withFixture(await open());
    const report = reportOf(
      await site.run(['--endpoint', site.url, '--servers', site.file({ servers }), '--set-lessee']),
    );
    expect(plain(report.nodes)).toEqual(expected);
    expect(report).toMatchObject({ set_lessee: true, dry_run: false, summary: { updated: 3, 'server-not-found': 1 } });
    for (const { node_uuid, added, lessee } of expected) {
      const { instance_info: info, ...node } = await site.read(node_uuid);
      const before = imported.find(({ uuid }) => uuid === node_uuid)!.instance_info;
      expect(info).toMatchObject(before);
      expect(Object.keys(info)).toEqual([
        ...Object.keys(before),
        ...Object.keys(info).slice(Object.keys(before).length),
      ]);
      expect(Object.keys(info).toSorted()).toEqual([...Object.keys(before), ...Object.keys(added)].toSorted());
      expect(node.lessee).toBe(lessee);
      // As by a deploy: it goes with the instance.
      expect(node.driver_internal_info.automatic_lessee).toBe(lessee === null ? undefined : true);
      const ips = (name: string) => JSON.parse((info[name] as string | undefined) ?? '[]') as object[];
      const [stored] = plain([{ node_uuid, result: 'updated', lessee, added: { fixed_ips: ips('fixed_ips') } }]);
      expect(stored!.added['fixed_ips']).toEqual(added['fixed_ips'] ?? []);
    }
  });

  it('finds the same in a Nova that runs, which it only reads', async () => {
    const site = await withFixture(await open({ nova }));
    const report = reportOf(await site.run(['--endpoint', site.url, '--compute', site.compute, '--set-lessee']));
    expect(plain(report.nodes)).toEqual(expected);
    expect(site.questions.length).toBeGreaterThan(4);
    expect([...new Set(site.questions.map(({ method }) => method))]).toEqual(['GET']);
    expect([
      ...new Set(site.asked.map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, '*')}`)),
    ]).toEqual(['GET /v1/nodes', 'PATCH /v1/nodes/*']);
  });

  it('changes nothing the second time, and says so', async () => {
    const site = await withFixture(await open({ nova }));
    const args = ['--endpoint', site.url, '--compute', site.compute, '--set-lessee'];
    reportOf(await site.run(args));
    const items = structuredClone(site.platform.table.items());
    site.asked.length = 0;
    const { nodes, summary } = reportOf(await site.run(args));
    expect(summary).toEqual({ unchanged: 3, 'server-not-found': 1 });
    expect(nodes[0]).toMatchObject({
      added: {},
      lessee: null,
      kept: expect.arrayContaining(['display_name', 'fixed_ips']),
    });
    expect(site.asked.some(({ method }) => method === 'PATCH')).toBe(false);
    expect(site.platform.table.items()).toEqual(items);
  });

  it('writes nothing on trial', async () => {
    const site = await withFixture(await open());
    const items = structuredClone(site.platform.table.items());
    const args = ['--endpoint', site.url, '--servers', site.file({ servers }), '--set-lessee', '--dry-run'];
    const { nodes, dry_run } = reportOf(await site.run(args));
    const trial = expected.map((one) => (one.result === 'updated' ? { ...one, result: 'would-update' } : one));
    expect([plain(nodes), dry_run]).toEqual([trial, true]);
    expect(site.platform.table.items()).toEqual(items);
    expect([...new Set(site.asked.map(({ method }) => method))]).toEqual(['GET']);
  });

  it('leaves lessees alone unless it is told to set them, and then those that are there', async () => {
    const site = await withFixture(await open());
    const [one, two] = expected.map(({ node_uuid }) => node_uuid) as [string, string];
    await changeRecord(site.platform, kinds.node, two, () => ({ set: { lessee: 'somebody' } }));
    const args = ['--endpoint', site.url, '--servers', site.file({ servers })];
    reportOf(await site.run(args));
    expect((await site.read(one)).lessee).toBeNull();
    const { nodes } = reportOf(await site.run([...args, '--set-lessee']));
    expect(nodes.map(({ result }) => result)).toEqual(['updated', 'unchanged', 'updated', 'server-not-found']);
    expect([(await site.read(one)).lessee, (await site.read(two)).lessee]).toEqual([expected[0]!.lessee, 'somebody']);
  });

  it('writes its report into a file', async () => {
    const site = await withFixture(await open());
    const report = site.file('');
    const args = ['--endpoint', `${site.url}/v1/`, '--servers', site.file({ servers }), '--report', report];
    expect(await site.run(args)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ summary: { updated: 3 } });
  });
});

const uuid = '00000001-bae0-4000-8000-000000000001';
const [server] = servers as [Server];
const flavor = {
  id: '7',
  name: 'bm.large',
  vcpus: 8,
  ram: 16384,
  disk: 40,
  swap: '',
  'OS-FLV-EXT-DATA:ephemeral': 0,
};

/** One node with the first instance of the fixture. */
const withNode = async (site: Site, more: Partial<StoredNode> = {}): Promise<Site> => {
  await site.store({ uuid, instance_uuid: server.id, instance_info: { display_name: 'mine' }, ...more });
  return site;
};

describe('what Nova says', () => {
  const added = async (site: Site, args: readonly string[]) =>
    reportOf(await site.run(['--endpoint', site.url, ...args])).nodes[0]!;

  it('of flavors tells the ID, if it is the one that the server was made with', async () => {
    const asking = async (flavors: object[]) => {
      const site = await withNode(await open());
      const files = ['--servers', site.file({ servers }), '--flavors', site.file({ flavors })];
      return (await added(site, files)).added['flavor_id'];
    };
    const others = { ...flavor, id: '8', name: 'bm.small' };
    expect(await asking([others, flavor])).toBe('7');
    // Made anew under its name, or twice there.
    expect(await asking([{ ...flavor, ram: 1 }])).toBeUndefined();
    expect(await asking([flavor, { ...flavor, id: '9' }])).toBeUndefined();
  });

  it('of older ones tells the ID alone; its name is that of the list, which has pages', async () => {
    const old: Nova = (path, headers) => {
      if (headers['openstack-api-version'] !== undefined) return 406;
      if (path.startsWith('/servers/')) return { server: { ...server, flavor: { id: '7', links: [] } } };
      return {
        flavors: path.includes('marker=8') ? [flavor] : path.includes('marker=') ? [] : [{ ...flavor, id: '8' }],
      };
    };
    const site = await withNode(await open({ nova: old }));
    expect((await added(site, ['--compute', site.compute])).added).toMatchObject({
      flavor_id: '7',
      flavor_name: 'bm.large',
    });
  });

  it('has no names of users and projects, which the operator may tell', async () => {
    const site = await withNode(await open());
    const names = site.file({ projects: { [server['tenant_id'] as string]: 'red' }, users: {} });
    const outcome = await added(site, ['--servers', site.file({ servers }), '--names', names]);
    expect(outcome.added).toMatchObject({ project_name: 'red' });
    expect(outcome.added).not.toHaveProperty('user_name');
    expect(outcome.kept).toEqual(['display_name']);
    expect((await site.read(uuid)).instance_info['display_name']).toBe('mine');
  });

  it('of another node is no ground to write to this one', async () => {
    const site = await withNode(await open());
    const moved = { ...server, 'OS-EXT-SRV-ATTR:hypervisor_hostname': 'rack1-7' };
    const args = ['--servers', site.file({ servers: [moved] })];
    expect(await added(site, args)).toMatchObject({ result: 'server-elsewhere', added: {} });
    await changeRecord(site.platform, kinds.node, uuid, () => ({ set: { name: 'rack1-7' } }));
    expect(await added(site, args)).toMatchObject({ result: 'updated' });
  });

  it('of one server it fails to say is no matter of the others', async () => {
    const broken: Nova = (path, headers) => (path.endsWith(server.id) ? 500 : nova(path, headers));
    const site = await withFixture(await open({ nova: broken }));
    const { code, stdout } = await site.run(['--endpoint', site.url, '--compute', site.compute]);
    const { nodes } = JSON.parse(stdout) as Report;
    expect([code, nodes.map(({ result }) => result)]).toEqual([
      1,
      ['failed', 'updated', 'updated', 'server-not-found'],
    ]);
    expect(nodes[0]!.reason).toContain('answered with 500');
  });
});

describe('while others change the node', () => {
  /** The backfill in this process; `race` happens after it has read the nodes, before its first PATCH. */
  const racing = async (site: Site, race: () => Promise<unknown>) => {
    const { url: endpoint } = site;
    const service = openService('The Bare Metal API', endpoint, { auth: 'none' });
    let raced = false;
    const slept: number[] = [];
    const outcomes = await backfill(
      {
        baremetal: async (method, ...asking) => {
          if (method === 'PATCH' && !raced) {
            raced = true;
            await race();
          }
          return service(method, ...asking);
        },
        servers: serversIn({ servers }),
        sleep: async (ms) => void slept.push(ms),
      },
      { set_lessee: true, dry_run: false, names: { users: {}, projects: {} } },
    );
    return { outcome: outcomes[0]!, slept };
  };
  const change = async (site: Site, set: Partial<StoredNode>) =>
    changeRecord(site.platform, kinds.node, uuid, () => ({ set }));

  it('it never writes over what they added', async () => {
    const site = await withNode(await open());
    const { outcome } = await racing(site, async () =>
      change(site, { instance_info: { display_name: 'mine', fixed_ips: '[1]', user_id: 'other' } }),
    );
    expect(outcome).toMatchObject({ result: 'updated', kept: ['display_name', 'user_id', 'fixed_ips'] });
    const { instance_info: info } = await site.read(uuid);
    expect(info).toMatchObject({ fixed_ips: '[1]', user_id: 'other', flavor_name: 'bm.large' });
  });

  it('nor over a lessee', async () => {
    const site = await withNode(await open());
    const { outcome } = await racing(site, async () => change(site, { lessee: 'somebody' }));
    expect([outcome.result, outcome.lessee, (await site.read(uuid)).lessee]).toEqual(['updated', null, 'somebody']);
  });

  it.each([
    ['has another instance', { instance_uuid: '11111111-1111-4111-8111-111111111111' }],
    ['has none any more', { instance_uuid: null, instance_info: {} }],
  ])('it leaves a node alone that %s', async (_what, set) => {
    const site = await withNode(await open());
    const { outcome } = await racing(site, async () => change(site, set));
    expect(outcome).toMatchObject({ result: 'released', added: {} });
    expect((await site.read(uuid)).instance_info).toEqual('instance_info' in set ? {} : { display_name: 'mine' });
  });

  it('it waits for one that somebody works on, and reports it if that lasts', async () => {
    const site = await withNode(await open());
    const { outcome, slept } = await racing(site, async () => change(site, { reservation: 'somebody' }));
    expect(slept).toHaveLength(5);
    expect(outcome).toMatchObject({
      result: 'failed',
      added: {},
      reason: expect.stringMatching(/answered with 409: Node \S+ is locked by host somebody/),
    });
    await change(site, { reservation: null });
    const again = await racing(site, async () => undefined);
    expect(again.outcome.result).toBe('updated');
  });

  it('it knows a configdrive that it is not shown for the same', async () => {
    const site = await withNode(await open(), { instance_info: { configdrive: 'upload:1', image_source: 'x' } });
    expect((await racing(site, async () => undefined)).outcome.result).toBe('updated');
    expect((await site.read(uuid)).instance_info).toMatchObject({ configdrive: 'upload:1', display_name: 'web-01' });
  });
});

describe('who asks', () => {
  const password = 'the password of admin';

  it.each([
    ['the environment', () => [[], { BACKFILL_PASSWORD: password }] as const],
    ['a file', (site: Site) => [['--password-file', site.file(`${password}\n`)], {}] as const],
  ])('proves it with %s, and never shows it', async (_where, given) => {
    const site = await withFixture(await open({ password }));
    const [more, env] = given(site);
    const args = ['--endpoint', site.url, '--servers', site.file({ servers }), '--auth', 'basic', '--user', 'admin'];
    const ran = await site.run([...args, ...more], env);
    expect(reportOf(ran).summary).toMatchObject({ updated: 3 });
    expect(ran.stdout).not.toContain(password);
  });

  it('and is refused is told so, without a word of what was sent', async () => {
    const site = await withFixture(await open({ password }));
    const args = ['--endpoint', site.url, '--servers', site.file({ servers }), '--auth', 'basic', '--user', 'admin'];
    const ran = await site.run(args, { BACKFILL_PASSWORD: 'hunter2' });
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: 'backfill-instance-metadata: The Bare Metal API refused who asks (401): GET /v1/nodes.\n',
    });
    expect(await infoOf(site)).toEqual(
      Object.fromEntries(imported.filter(({ instance_uuid: id }) => id).map((node) => [node.uuid, node.instance_info])),
    );
  });

  it('has a token for Nova, which goes nowhere else', async () => {
    const site = await withNode(await open({ nova }));
    const args = ['--endpoint', site.url, '--compute', site.compute, '--compute-auth', 'token'];
    reportOf(await site.run(args, { BACKFILL_COMPUTE_TOKEN: 'a-token' }));
    expect(site.questions.every(({ headers }) => headers['x-auth-token'] === 'a-token')).toBe(true);
    expect(JSON.stringify(site.asked)).not.toContain('a-token');
  });

  it('and says too little is told what is missing', async () => {
    const site = await open();
    const { code, stdout, stderr } = await site.run(['--endpoint', site.url]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Either --compute or --servers says where servers are looked up.');
  });

  it('asks for help', async () => {
    const site = await open();
    const { code, stdout } = await site.run(['--help']);
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringContaining('backfill-instance-metadata --endpoint'),
    ]);
  });
});
