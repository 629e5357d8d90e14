/**
 * The whole move from a real Ironic, as docs/guides/moving-from-ironic.md has it, and the servers on its machines with it:
 * machines that answer and run are imported, compared and taken over; then a server is made and one deleted.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Ended, ingot } from '../cli/served.ts';
import { type DatabaseServer, reader, startMariaDb } from '../databases/servers.ts';
import { type Evidence, leaveOn, type Machine, type Site, startSite } from '../machine/site.ts';
import { type Reply, temporaryFolder, until } from '../machine/system.ts';
import { createTenancy } from '../machine/tenancy.ts';
import { listingOf } from '../migrate/nova-listing.ts';
import { createIronic, type Ironic } from './ironic.ts';
import { openAdministration } from './populate.ts';

const { path: folder, remove } = temporaryFolder();
const own = { user: 'ironic', password: 'c4nary-of-the-database' } as const;

/** A node at the source. `machine`: it is real; the others do nothing. `instance`: null: it is free. */
type Row = {
  readonly name: string;
  readonly machine: Machine | null;
  readonly instance: string | null;
  readonly properties: { readonly cpus: number; readonly memory_mb: number; readonly local_gb: number };
};

/** Each of another size. The free machine alone is of the class that new servers want. */
const rowsOf = (machines: readonly Machine[]): Row[] =>
  [...machines, null, null].map((machine, at) => ({
    name: machine?.name ?? `fake-${at}`,
    machine,
    instance: [0, 1, 3].includes(at) ? randomUUID() : null,
    properties: { cpus: at + 2, memory_mb: 4096 * (at + 1), local_gb: 40 + at },
  }));

let site: Site;
let server: DatabaseServer;
let ironic: Ironic;
let rows: Row[];
let used: Row[];
let tenancy: ReturnType<typeof createTenancy>;
let uuids: ReadonlyMap<Row, string>;
/** How machines were before anything was moved. */
const before = new Map<Machine, { evidence: Evidence; requests: number }>();
const told: string[] = [];

const run = async (...args: string[]): Promise<Ended> => {
  const ended = await ingot(args, { INGOT_DATABASE_PASSWORD: reader.password });
  told.push(ended.out, ended.err);
  return ended;
};

const compute = async (method: string, below: string, body?: unknown): Promise<Reply> =>
  site.call(method, `/compute/v2.1${below}`, body);

/** What the BMC was asked since then, but for logging in and out. */
const askedOf = async (machine: Machine) =>
  (await site.requests(machine))
    .slice(before.get(machine)!.requests)
    .filter(({ side, path }) => side === 'bmc' && !path.includes('/Sessions'));

const driverOf = (machine: Machine) => ({
  driver: 'redfish',
  boot_interface: 'redfish-virtual-media',
  resource_class: 'bm.small',
  driver_info: {
    // Where its service root is; what it links to begins with the path of it.
    redfish_address: `${machine.address}/redfish/v1`,
    redfish_system_id: `${new URL(machine.address).pathname}${machine.system_id}`,
    redfish_username: machine.username,
    redfish_password: machine.password,
    // Ironic knows no certificate here, only files with some.
    redfish_verify_ca: false,
    deploy_iso: site.images.deploy_iso,
  },
});

/** Enrols it at the source; who has an instance is adopted with it. */
const enrol = async (administration: ReturnType<typeof openAdministration>, row: Row): Promise<string> => {
  const { ask, provision } = administration;
  const { name, machine, instance, properties } = row;
  const { uuid } = await ask('POST', '/v1/nodes', {
    name,
    properties: { ...properties, cpu_arch: 'x86_64' },
    ...(machine ? driverOf(machine) : { driver: 'fake-hardware' }),
    ...(instance !== null && {
      instance_uuid: instance,
      instance_info: { display_name: name, image_source: randomUUID(), capabilities: { boot_option: 'local' } },
    }),
  });
  const address = machine?.mac ?? `52:54:00:00:0f:0${rows.indexOf(row)}`;
  await ask('POST', '/v1/ports', { node_uuid: uuid, address });
  await provision(name, 'manage');
  await provision(name, instance === null ? 'provide' : 'adopt');
  return uuid as string;
};

const startSource = async (): Promise<void> => {
  server = await startMariaDb();
  await server.create('ironic');
  const who = `${own.user}@'127.0.0.1'`;
  await server.exec('ironic', `create user ${who} identified by '${own.password}'; grant all on ironic.* to ${who}`);
  const at = `127.0.0.1:${server.port}/ironic`;
  ironic = await createIronic(folder, `mysql+pymysql://${own.user}:${own.password}@${at}`);
  await server.grant('ironic');
  await ironic.start();
};

beforeAll(async () => {
  site = await startSite({ machines: 3, profiles: 'plain', env: {} });
  tenancy = createTenancy(site.url);
  rows = rowsOf(site.machines);
  used = rows.filter(({ instance }) => instance !== null);
  await Promise.all(used.map(async ({ machine }) => machine && leaveOn(site, machine)));
  await startSource();
  const administration = openAdministration(ironic.url);
  const enrolled = rows.map(async (row) => [row, await enrol(administration, row)] as const);
  uuids = new Map(await Promise.all(enrolled));
  for (const machine of site.machines) {
    before.set(machine, { evidence: await site.evidence(machine), requests: (await site.requests(machine)).length });
  }
});
afterAll(async () => {
  await ironic?.stop();
  await server?.stop();
  await site?.stop();
  remove();
});

describe('a real Ironic with servers on its machines', () => {
  const sides = () => ['--source', ironic.url, '--endpoint', site.url, '--replace', 'network_interface:noop=flat'];

  it('is moved, and compared', async () => {
    const database = `mysql://${reader.user}@127.0.0.1:${server.port}/ironic`;
    const moved = await run('import', 'ironic', ...sides(), '--database', database);
    expect([moved.err, moved.code, moved.out]).toEqual([
      '',
      0,
      expect.stringContaining('node: 5 read, 5 imported, 0 here already, 0 rejected'),
    ]);
    expect(moved.out).toContain('port: 5 read, 5 imported');
    const compared = await run('verify', 'ironic', ...sides());
    expect([compared.code, compared.out]).toEqual([0, expect.stringContaining(' 0 differences, 0 only here')]);
    await ironic.stop();
  });

  it('brings its servers, and leaves the virtual machine', async () => {
    const listed = used.map((row) => ({
      id: row.instance!,
      node: uuids.get(row)!,
      status: 'ACTIVE',
      mac: row.machine?.mac ?? '52:54:00:00:0f:03',
    }));
    const file = join(folder, 'servers.json');
    writeFileSync(file, JSON.stringify(listingOf(listed)));
    const where = ['--servers', file, '--endpoint', `${site.url}/compute/v2.1`];
    expect(await run('import', 'nova-servers', ...where)).toMatchObject({
      code: 0,
      out: expect.stringContaining('servers: 4 read, 3 imported, 0 rejected, 1 skipped') as string,
    });
  });

  it('has machines that nobody touches before they are taken over, by reads alone', async () => {
    const refused = await tenancy.remove(used[0]!.instance!);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      409,
      expect.stringContaining('while it is being moved here'),
    ]);
    expect(await run('takeover', 'start', '--endpoint', site.url)).toMatchObject({ code: 0 });
    const status = await until('the takeovers to end', async () => {
      const now = await run('takeover', 'status', '--endpoint', site.url);
      return /pending +0\nrunning +0\n/.test(now.out) && now;
    });
    expect([status.code, status.out]).toEqual([0, expect.stringMatching(/completed +3\n/)]);
    for (const { machine } of used) {
      if (!machine) continue;
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
    }
  });

  it('has as many hypervisors as it had nodes, each of its size, and its servers', async () => {
    const { body } = await compute('GET', '/os-hypervisors/detail');
    const shown = (body['hypervisors'] as Record<string, unknown>[]).map((machine) => {
      const { hypervisor_hostname: name, vcpus, memory_mb, local_gb, running_vms } = machine;
      return [name, { cpus: vcpus, memory_mb, local_gb, running_vms }];
    });
    expect(shown).toHaveLength(rows.length);
    const sizes = rows.map((row) => [
      uuids.get(row)!,
      { ...row.properties, running_vms: row.instance === null ? 0 : 1 },
    ]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(sizes));
    const servers = await tenancy.list();
    expect(servers.map(({ id, status, addresses }) => [id, status, addresses['private']![0]!.addr])).toEqual(
      used.map(({ instance }, at) => [instance, 'ACTIVE', `192.168.1.${at + 1}`]).toReversed(),
    );
  });

  it('has a new server made on the machine that is free', async () => {
    const free = rows.find(({ machine, instance }) => machine && instance === null)!;
    const flavorRef = await tenancy.makeFlavor();
    const imageRef = await tenancy.makeImage(Buffer.alloc(100_000, 'disk'));
    const network = await tenancy.makeNetwork('10.0.0.0/24');
    const made = await tenancy.create({ name: 'new', flavorRef, imageRef, networks: [{ uuid: network }] });
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
    const { body } = await site.call('GET', `/v1/nodes/${uuids.get(free)!}`);
    expect([body['instance_uuid'], body['provision_state']]).toEqual([id, 'active']);
    expect((await site.evidence(free.machine!)).power).toBe('on');
  });

  it('has an old server deleted, whose machine is free for others then', async () => {
    const [old, other] = used as [Row, Row];
    expect((await tenancy.remove(old.instance!)).status).toBe(204);
    await until('the old server to be gone', async () => (await tenancy.show(old.instance!)) === undefined, 200);
    const node = await until(
      'its node to be available',
      async () => {
        const { body } = await site.call('GET', `/v1/nodes/${uuids.get(old)!}`);
        return body['provision_state'] === 'available' && body;
      },
      200,
    );
    expect([node['instance_uuid'], node['last_error']]).toEqual([null, null]);
    const timeline = (await site.evidence(other.machine!)).power_timeline;
    expect(timeline).toEqual(before.get(other.machine!)!.evidence.power_timeline);
  });

  it('has told no secret', () => {
    const secrets = [own.password, reader.password, ...site.machines.map(({ password }) => password)];
    for (const secret of secrets) {
      expect([...told, site.output()].filter((text) => text.includes(secret))).toEqual([]);
    }
  });
});
