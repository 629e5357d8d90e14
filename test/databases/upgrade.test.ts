/**
 * The whole move from nova-baremetal, as docs/guides/upgrade.md has it: a nova_bm in a real server, whose machines answer and
 * run; dummy images and a flavor; maintenance, flavors, import, takeover, servers; then a server is made and one deleted.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Ended, ingot } from '../cli/served.ts';
import { type Evidence, leaveOn, type Machine, type Site, startSite } from '../machine/site.ts';
import { type Reply, until } from '../machine/system.ts';
import { createTenancy } from '../machine/tenancy.ts';
import { fixture } from '../migrate/nova-bm/planned.ts';
import { listingOf } from '../migrate/nova-listing.ts';
import { type DatabaseServer, reader, startMariaDb, startPostgresql } from './servers.ts';

const sides = [
  { scheme: 'mysql', dialect: 'mysql', start: startMariaDb },
  { scheme: 'postgresql', dialect: 'postgresql', start: startPostgresql },
] as const;

/** What a nova_bm has of each machine; those with a task_state have an instance. */
const tasks = ['active', 'active', 'error', null] as const;

type Row = {
  readonly machine: Machine;
  readonly uuid: string;
  readonly task: (typeof tasks)[number];
  readonly instance: string | null;
};

const rowOf = (machine: Machine, at: number): Row => {
  const task = tasks[at]!;
  return { machine, uuid: randomUUID(), task, instance: task === null ? null : randomUUID() };
};

/** The schema of the sample, without its rows. */
const schemaOf = (dialect: string): string =>
  fixture(`nova_bm_juno.${dialect}.sql`).replaceAll(/^INSERT INTO `?bm_[^]*?;$/gm, '');

/** As its Nova has it. */
const listed = ({ machine, uuid, task, instance }: Row) => ({
  id: instance!,
  node: uuid,
  status: task === 'error' ? 'ERROR' : 'ACTIVE',
  mac: machine.mac,
});

const quoted = (value: string | null) => (value === null ? 'NULL' : `'${value}'`);

/** As an operator filled it for each machine; like Grenade's, rows have no value of `deleted`. */
const insertsOf = ({ machine, uuid, task, instance }: Row, at: number): string => {
  const texts = [
    uuid,
    machine.address.replace('https://', ''),
    machine.username,
    machine.password,
    instance,
    task,
    `web-${at}`,
  ];
  return `
    INSERT INTO bm_nodes (id, uuid, pm_address, pm_user, pm_password, instance_uuid, task_state, instance_name,
      cpus, memory_mb, local_gb, service_host, root_mb)
      VALUES (${at + 1}, ${texts.map(quoted).join()}, ${at + 2}, 4096, 40, 'bm-host', 10240);
    INSERT INTO bm_interfaces (id, bm_node_id, address, vif_uuid)
      VALUES (${at + 1}, ${at + 1}, '${machine.mac}', ${quoted(instance && randomUUID())});`;
};

const secretOfTarget = 'c4nary-of-the-target';

for (const { scheme, dialect, start } of sides) {
  describe(`from a nova_bm in ${scheme}`, { timeout: 600_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'ingot-upgrade-'));
    const path = (name: string) => join(folder, name);
    let database: DatabaseServer;
    let site: Site;
    let rows: Row[];
    let used: Row[];
    let free: Row;
    let tenancy: ReturnType<typeof createTenancy>;
    /** How machines were before anything was moved. */
    const before = new Map<Machine, { evidence: Evidence; requests: number }>();
    const told: string[] = [];
    let flavorImages: readonly string[];
    let imageRef: string;
    let network: string;

    const run = async (...args: string[]): Promise<Ended> => {
      const env = { INGOT_SOURCE_PASSWORD: reader.password, INGOT_PASSWORD: secretOfTarget };
      const ended = await ingot([...args, '--auth', 'basic', '--user', 'operator'], env);
      told.push(ended.out, ended.err);
      return ended;
    };
    const importArgs = () => {
      const source = `${scheme}://${reader.user}@127.0.0.1:${database.port}/nova_bm`;
      const driverInfo = {
        redfish_address: 'https://{pm_address}',
        redfish_verify_ca: `@${path('ca.pem')}`,
        deploy_iso: site.images.deploy_iso,
      };
      const given = Object.entries(driverInfo).flatMap(([name, value]) => ['--driver-info', `${name}=${value}`]);
      const options = { source, arch: 'x86_64', driver: 'redfish', 'network-interface': 'flat' };
      const all = Object.entries({ ...options, endpoint: site.url, report: path('nodes.json') });
      return ['import', 'nova-bm', ...all.map(([name, value]) => `--${name}=${value}`), ...given];
    };
    const report = (name: string) =>
      JSON.parse(readFileSync(path(name), 'utf8')) as { readonly nodes: readonly Record<string, unknown>[] };
    const compute = async (method: string, below: string, body?: unknown): Promise<Reply> =>
      site.call(method, `/compute/v2.1${below}`, body);
    /** What the BMC was asked since then, but for logging in and out. */
    const askedOf = async (machine: Machine) =>
      (await site.requests(machine))
        .slice(before.get(machine)!.requests)
        .filter(({ side, path: asked }) => side === 'bmc' && !asked.includes('/Sessions'));

    beforeAll(async () => {
      site = await startSite({ machines: tasks.length, profiles: 'plain', env: {} });
      tenancy = createTenancy(site.url);
      rows = site.machines.map(rowOf);
      used = rows.filter(({ instance }) => instance !== null);
      free = rows.find(({ instance }) => instance === null)!;
      await Promise.all(used.map(async ({ machine }) => leaveOn(site, machine)));
      for (const { machine } of rows) {
        before.set(machine, {
          evidence: await site.evidence(machine),
          requests: (await site.requests(machine)).length,
        });
      }
      writeFileSync(path('ca.pem'), site.machines[0]!.certificate);
      writeFileSync(path('servers.json'), JSON.stringify(listingOf(used.map(listed))));
      database = await start();
      await database.create('nova_bm', scheme === 'mysql' ? 'character set latin1' : '');
      await database.exec('nova_bm', schemaOf(dialect) + rows.map(insertsOf).join('\n'));
      await database.grant('nova_bm');
    });
    afterAll(async () => {
      await site?.stop();
      await database?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('begins with new deploy images, a flavor with the old ones, and what new servers are made of', async () => {
      const contents = ['a kernel', 'a ramdisk'].map((text) => Buffer.from(text));
      flavorImages = await Promise.all(contents.map(async (bytes) => tenancy.makeImage(bytes)));
      imageRef = await tenancy.makeImage(Buffer.alloc(100_000, 'disk'));
      network = await tenancy.makeNetwork('10.0.0.0/24');
      const flavor = { id: '11', name: 'baremetal', ram: 1024, vcpus: 1, disk: 10 };
      expect((await compute('POST', '/flavors', { flavor })).status).toBe(200);
      const extra_specs = {
        cpu_arch: 'x86_64',
        'baremetal:deploy_kernel_id': randomUUID(),
        'baremetal:deploy_ramdisk_id': randomUUID(),
      };
      expect((await compute('POST', '/flavors/11/os-extra_specs', { extra_specs })).status).toBe(200);
    });

    it('goes into a maintenance: nothing can be changed, and everything read', async () => {
      await site.restart({ INGOT_MAINTENANCE_RETRY_AFTER: '120' });
      const headers = { 'Content-Type': 'application/json' };
      for (const [url, body] of [
        ['/compute/v2.1/servers', { server: {} }],
        ['/v1/nodes', { driver: 'fake-hardware' }],
        ['/network/v2.0/networks', { network: {} }],
      ] as const) {
        const answer = await fetch(site.url + url, { method: 'POST', headers, body: JSON.stringify(body) });
        expect([url, answer.status, answer.headers.get('retry-after')]).toEqual([url, 503, '120']);
      }
      for (const url of ['/compute/v2.1/servers', '/v1/nodes', '/network/v2.0/networks']) {
        expect([url, (await fetch(site.url + url)).status]).toEqual([url, 200]);
      }
    });

    it('gives the flavor the new images, which are there', async () => {
      const [kernel, ramdisk] = flavorImages as [string, string];
      const pair = ['--deploy-kernel', kernel, '--deploy-ramdisk', ramdisk];
      const where = ['--endpoint', `${site.url}/compute/v2.1`, '--image-endpoint', `${site.url}/image`];
      expect(await run('flavors', 'update-deploy-images', ...where, ...pair)).toMatchObject({
        code: 0,
        out: expect.stringContaining('flavors: 1 read, 1 changed, 0 left') as string,
      });
      expect((await compute('GET', '/flavors/11/os-extra_specs')).body['extra_specs']).toEqual({
        cpu_arch: 'x86_64',
        'baremetal:deploy_kernel_id': kernel,
        'baremetal:deploy_ramdisk_id': ramdisk,
      });
    });

    it('imports every node with its port and its instance, after a look, and nothing twice', async () => {
      const all = 'nodes: 4 read, 4 imported, 0 rejected, 0 skipped\nports: 4 read, 4 imported';
      expect(await run(...importArgs(), '--dry-run')).toMatchObject({
        code: 0,
        out: expect.stringContaining('nodes: 4 read, 4 would be imported, 0 rejected') as string,
      });
      const moved = await run(...importArgs(), '--source-is-stopped');
      expect([moved.err, moved.code, moved.out]).toEqual(['', 0, expect.stringContaining(all)]);
      const { nodes } = report('nodes.json');
      expect(nodes.map(({ uuid, instance_uuid, takeover_pending }) => [uuid, instance_uuid, takeover_pending])).toEqual(
        rows.map(({ uuid, instance }) => [uuid, instance, instance !== null]),
      );
      const again = await run(...importArgs(), '--source-is-stopped');
      expect([again.code, again.out]).toEqual([0, expect.stringContaining('8 records are here already.')]);
      const look = await run(...importArgs(), '--dry-run');
      expect([look.code, look.out]).toEqual([0, expect.stringContaining('Nothing would be changed: 8 records')]);
      for (const { machine } of rows) expect(await askedOf(machine)).toEqual([]);
    });

    it('takes every machine with an instance over, by reads alone', async () => {
      expect(await run('takeover', 'start', '--endpoint', site.url)).toMatchObject({ code: 0 });
      const done = new RegExp(String.raw`completed +${used.length}\n`);
      const status = await until('the takeovers to end', async () => {
        const now = await run('takeover', 'status', '--endpoint', site.url);
        return /pending +0\nrunning +0\n/.test(now.out) && now;
      });
      expect([status.code, status.out]).toEqual([0, expect.stringMatching(done)]);
      for (const { machine, uuid } of used) {
        const asked = await askedOf(machine);
        expect(asked.length).toBeGreaterThan(0);
        expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
        const { power, resets, power_timeline: timeline, media } = await site.evidence(machine);
        const was = before.get(machine)!.evidence;
        expect({ power, resets, timeline, media }).toEqual({
          power: 'on',
          resets: was.resets,
          timeline: was.power_timeline,
          media: was.media,
        });
        const ledger = await ingot(['ledger', 'verify', uuid, '--state-dir', site.folder]);
        expect(ledger.out).toContain('nothing was sent to its BMC');
      }
    });

    it('brings the servers, still in the maintenance, and leaves the virtual machine', async () => {
      const args = ['import', 'nova-servers', '--servers', path('servers.json'), '--report', path('moved.json')];
      const where = ['--endpoint', `${site.url}/compute/v2.1`];
      const counts = 'servers: 4 read, 3 imported, 0 rejected, 1 skipped';
      expect(await run(...args, ...where)).toMatchObject({ code: 0, out: expect.stringContaining(counts) as string });
    });

    it('shows machines as hypervisors of their sizes, and the old servers, after the maintenance', async () => {
      await site.restart({});
      const { body } = await compute('GET', '/os-hypervisors/detail');
      const shown = (body['hypervisors'] as Record<string, unknown>[]).map((machine) => {
        const { hypervisor_hostname: name, vcpus, memory_mb, local_gb, vcpus_used } = machine;
        return [name, { vcpus, memory_mb, local_gb, vcpus_used }];
      });
      expect(shown).toHaveLength(rows.length);
      const sizes = rows.map(({ uuid, instance }, at) => {
        const vcpus = at + 2;
        return [uuid, { vcpus, memory_mb: 4096, local_gb: 40, vcpus_used: instance === null ? 0 : vcpus }];
      });
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(sizes));
      const { nodes } = (await compute('GET', '/os-baremetal-nodes')).body as { nodes: { id: string }[] };
      expect(nodes.map(({ id }) => id).toSorted()).toEqual(rows.map(({ uuid }) => uuid).toSorted());
      const servers = await tenancy.list();
      expect(servers.map(({ id, status, addresses }) => [id, status, addresses['private']![0]!.addr])).toEqual(
        used
          .map(({ instance, task }, at) => [instance, task === 'error' ? 'ERROR' : 'ACTIVE', `192.168.1.${at + 1}`])
          .toReversed(),
      );
    });

    it('makes a new server on the machine that is free', async () => {
      const made = await tenancy.create({ name: 'new', flavorRef: '11', imageRef, networks: [{ uuid: network }] });
      expect([made.status, JSON.stringify(made.body)]).toEqual([202, expect.any(String)]);
      const { id } = made.body['server'] as { id: string };
      const settled = await until(
        'the new server to be something',
        async () => {
          const now = await tenancy.show(id);
          return now && now.status !== 'BUILD' && now;
        },
        200,
      );
      expect([settled.status, settled.fault]).toEqual(['ACTIVE', undefined]);
      const { body } = await site.call('GET', `/v1/nodes/${free.uuid}`);
      expect([body['instance_uuid'], body['provision_state']]).toEqual([id, 'active']);
      expect((await site.evidence(free.machine)).power).toBe('on');
    });

    it('deletes an old server, whose machine is free for others then', async () => {
      const [old, other] = used as [Row, Row];
      const timeline = async ({ machine }: Row) => (await site.evidence(machine)).power_timeline;
      expect((await tenancy.remove(old.instance!)).status).toBe(204);
      await until('the old server to be gone', async () => (await tenancy.show(old.instance!)) === undefined, 200);
      const node = await until(
        'its node to be available',
        async () => {
          const { body } = await site.call('GET', `/v1/nodes/${old.uuid}`);
          return body['provision_state'] === 'available' && body;
        },
        200,
      );
      expect([node['instance_uuid'], node['last_error']]).toEqual([null, null]);
      const { ports } = (await site.call('GET', `/v1/nodes/${old.uuid}/ports/detail`)).body as {
        ports: { internal_info: object }[];
      };
      expect(ports.map(({ internal_info: info }) => info)).toEqual([{}]);
      expect(await timeline(other)).toEqual(before.get(other.machine)!.evidence.power_timeline);
    });

    it('can take the others out again, in a maintenance, with their servers and without a touch', async () => {
      await site.restart({ INGOT_MAINTENANCE_RETRY_AFTER: '120' });
      const [, ...others] = used;
      const asked = new Map(others.map(({ machine }) => [machine, 0]));
      for (const { machine } of others) asked.set(machine, (await askedOf(machine)).length);
      for (const { uuid } of others) {
        expect((await site.call('PUT', `/v1/nodes/${uuid}/maintenance`, {})).status).toBe(202);
        expect((await site.call('DELETE', `/v1/nodes/${uuid}`)).status).toBe(204);
      }
      const isGone = async ({ instance }: Row) => (await tenancy.show(instance!)) === undefined;
      await until('their servers to be gone', async () => (await Promise.all(others.map(isGone))).every(Boolean), 200);
      for (const { machine } of others) {
        expect((await askedOf(machine)).slice(asked.get(machine)).filter(({ method }) => method !== 'GET')).toEqual([]);
        expect((await site.evidence(machine)).power).toBe('on');
      }
    });

    it('has told no secret', () => {
      const all = [
        ...told,
        ...['nodes.json', 'moved.json'].map((name) => readFileSync(path(name), 'utf8')),
        site.output(),
      ];
      for (const secret of [reader.password, secretOfTarget, ...site.machines.map(({ password }) => password)]) {
        expect(all.filter((text) => text.includes(secret))).toEqual([]);
      }
    });
  });
}
