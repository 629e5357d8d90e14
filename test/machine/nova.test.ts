/** What Nova's Ironic driver sends in the life of a server, in its order, through openstacksdk. */
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildConfigdrive } from '../../layers/configdrive/index.ts';
import { type Client, clientOf, type Patch } from './client.ts';
import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

/**
 * The SDK speaks for each resource the highest version that it and the server know, or the one that its user pins;
 * `exact`: each action at the lowest version that has it.
 */
const manners = [
  { version: '1.109', exact: false, profile: 'plain' },
  { version: '1.46', exact: false, profile: 'dell' },
  { version: '1.82', exact: true, profile: 'lenovo' },
] as const;
type Manner = (typeof manners)[number];
const spare = Array.from({ length: 5 }, () => 'plain');

let site: Site;

beforeAll(async () => {
  const profiles = [...manners.map(({ profile }) => profile), ...spare];
  site = await startSite({
    machines: profiles.length,
    profiles: profiles.join(),
    env: { INGOT_AUTOMATIC_LESSEE_SOURCE: 'instance' },
  });
});

afterAll(async () => site?.stop());

let taken = 0;
const nextMachine = (): Machine => site.machines[manners.length + taken++]!;

/** What the driver asks for in every list and read. */
const fields =
  'uuid,power_state,target_power_state,provision_state,target_provision_state,last_error,maintenance,properties,instance_uuid,traits,resource_class';

type Row = Readonly<Record<string, unknown>> & { readonly uuid: string; readonly provision_state: string };

/** A server that is to be put on a machine; `node` is the UUID of its node. */
type Server = {
  readonly api: Client;
  readonly manner: Manner;
  readonly machine: Machine;
  readonly node: string;
  readonly uuid: string;
};

/** The version of a request: of an action since 1.`since`, or of a resource that the SDK knows up to 1.`upTo`. */
const at = ({ version, exact }: Manner, { since, upTo }: { since?: number; upTo?: number }): string => {
  if (exact && since !== undefined) return `1.${since}`;
  return `1.${Math.min(Number(version.slice(2)), upTo ?? 109)}`;
};

const patch = async ({ api, node }: Server, changes: Patch) => api.ok('PATCH', `/v1/nodes/${node}`, changes);

/** The operator's part: a machine that is available, with what flavors ask for. */
const offer = async (manner: Manner, machine: Machine): Promise<Server> => {
  const api = clientOf(site.url, manner.version);
  await site.enrol(
    machine,
    {},
    {
      instance_info: {},
      resource_class: 'baremetal.gold',
      conductor_group: 'rack-1',
      rescue_interface: 'agent',
      automated_clean: false,
      properties: {
        cpus: '32',
        memory_mb: '65536',
        local_gb: '400',
        cpu_arch: 'x86_64',
        capabilities: 'boot_mode:uefi',
      },
    },
  );
  const { uuid: node } = await site.node(machine);
  await api.ok('PUT', `/v1/nodes/${node}/traits`, { traits: ['CUSTOM_GOLD', 'HW_CPU_X86_VMX'] });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
  return { api, manner, machine, node, uuid: crypto.randomUUID() };
};

/** All pages of a list, as the SDK reads them. */
const pages = async (api: Client, query: string): Promise<Row[]> => {
  const rows: Row[] = [];
  let path: string | undefined = `/v1/nodes?${query}`;
  while (path !== undefined) {
    const body: Record<string, unknown> = await api.ok('GET', path);
    rows.push(...(body['nodes'] as Row[]));
    const next = body['next'] as string | undefined;
    path = next?.slice(site.url.length);
    if (next !== undefined) expect(next.startsWith(`${site.url}/v1/nodes?`)).toBe(true);
  }
  return rows;
};

const inventory = async ({ api, manner, node }: Server) => {
  const all = await pages(api, `fields=${fields}&limit=2`);
  expect(new Set(all.map(({ uuid }) => uuid)).size).toBe(all.length);
  const mine = all.find(({ uuid }) => uuid === node)!;
  expect(Object.keys(mine).toSorted()).toEqual([...fields.split(','), 'links'].toSorted());
  expect(mine).toMatchObject({
    provision_state: 'available',
    target_provision_state: null,
    power_state: 'power off',
    target_power_state: null,
    maintenance: false,
    instance_uuid: null,
    resource_class: 'baremetal.gold',
    properties: { cpus: '32', cpu_arch: 'x86_64' },
  });
  expect((mine['traits'] as string[]).toSorted()).toEqual(['CUSTOM_GOLD', 'HW_CPU_X86_VMX']);
  const uuids = async (query: string) => (await pages(api, `fields=uuid&${query}`)).map(({ uuid }) => uuid);
  expect(await uuids('associated=true')).not.toContain(node);
  expect(await uuids('associated=false&conductor_group=rack-1')).toContain(node);
  expect(await uuids('conductor_group=')).not.toContain(node);
  if (Number(manner.version.slice(2)) >= 82) expect(await uuids('shard=none-such')).toEqual([]);
};

/** The node of an instance; undefined if there is none. */
const nodeOf = async ({ api, uuid }: Server): Promise<Row | undefined> => {
  const nodes = (await api.ok('GET', `/v1/nodes?instance_uuid=${uuid}&fields=${fields}`))['nodes'] as Row[];
  expect(nodes.length).toBeLessThanOrEqual(1);
  return nodes[0];
};

/** The first one to write has the node; it is not tried again. */
const reserve = async (server: Server) => {
  const { api, node, uuid } = server;
  const wish = (instance: string) => [{ op: 'add', path: '/instance_uuid', value: instance }];
  expect(await nodeOf(server)).toBeUndefined();
  expect((await api.ask('PATCH', `/v1/nodes/${node}`, wish(uuid))).status).toBe(200);
  expect((await api.ask('PATCH', `/v1/nodes/${node}`, wish(crypto.randomUUID()))).status).toBe(409);
  expect((await nodeOf(server))!.uuid).toBe(node);
};

const plugVifs = async ({ api, manner, node }: Server) => {
  const vif = crypto.randomUUID();
  const version = at(manner, { since: 28 });
  const ports = await api.ok('GET', `/v1/ports/detail?node=${node}`, undefined, at(manner, { upTo: 101 }));
  expect(ports['ports']).toHaveLength(1);
  const groups = await api.ok('GET', `/v1/portgroups/detail?node=${node}`, undefined, at(manner, { upTo: 26 }));
  expect(groups['portgroups']).toEqual([]);
  await api.ok('POST', `/v1/nodes/${node}/vifs`, { id: vif }, version);
  expect(await api.ok('GET', `/v1/nodes/${node}/vifs`, undefined, version)).toHaveProperty('vifs');
  await api.ok('DELETE', `/v1/nodes/${node}/vifs/${vif}`, undefined, version);
};

/** Numbers go as texts; IP addresses and capabilities as JSON in texts. */
const instanceInfo = (server: Server, more: Record<string, unknown> = {}): Patch =>
  Object.entries({
    image_source: site.images.demo_raw.url,
    image_os_hash_algo: 'sha256',
    image_os_hash_value: site.images.demo_raw.sha256,
    root_gb: '20',
    swap_mb: '0',
    display_name: 'a server',
    vcpus: '32',
    nova_host_id: 'compute-1',
    memory_mb: '65536',
    local_gb: '400',
    project_id: 'project-1',
    project_name: 'N/A',
    user_id: 'user-1',
    user_name: 'N/A',
    flavor_name: 'gold',
    fixed_ips: JSON.stringify([{ address: '192.168.1.1', type: 'fixed', version: 4, meta: {}, floating_ips: [] }]),
    floating_ips: '[]',
    capabilities: JSON.stringify({ boot_mode: 'uefi' }),
    traits: ['CUSTOM_GOLD'],
    ...more,
  }).map(([name, value]) => ({ op: 'add', path: `/instance_info/${name}`, value }));

const volumes = async ({ api, manner, node }: Server) => {
  const version = at(manner, { upTo: 32 });
  const connector = { node_uuid: node, type: 'iqn', connector_id: `iqn.2026-11.test:${node}` };
  await api.ok('POST', '/v1/volume/connectors', connector, version);
  const found = await api.ok('GET', `/v1/volume/connectors?node=${node}&detail=True`, undefined, version);
  expect(found).toMatchObject({ connectors: [connector] });
  const target = { node_uuid: node, volume_type: 'iscsi', properties: {}, boot_index: 1, volume_id: 'v-1' };
  const { uuid } = await api.ok('POST', '/v1/volume/targets', target, version);
  expect((await api.ask('POST', '/v1/volume/targets', { ...target, volume_id: 'v-2' }, version)).status).toBe(409);
  await api.ok('POST', '/v1/volume/targets', { ...target, boot_index: 2, volume_id: 'v-3' }, version);
  await api.ok('DELETE', `/v1/volume/targets/${String(uuid)}`, undefined, version);
};

const validate = async ({ api, node }: Server) =>
  expect(await api.ok('GET', `/v1/nodes/${node}/validate`)).toMatchObject({
    deploy: { result: true },
    power: { result: true },
    storage: { result: true },
  });

const userData = (text: string) => `#cloud-config\n# ${text}\n`;

/** gzip and base64, as Nova has it. */
const drive = (server: Server, text: string): string => {
  const documents = { meta_data: { uuid: server.uuid }, user_data: userData(text) };
  const image = buildConfigdrive(documents, { uuid: server.node, name: null });
  return gzipSync(image).toString('base64');
};

const put = async ({ api, node }: Server, body: object, version?: string) =>
  api.ok('PUT', `/v1/nodes/${node}/states/provision`, body, version);

/** Polls by the instance until it is active. */
const active = async (server: Server) =>
  until(`${server.node} to be active`, async () => {
    const found = (await nodeOf(server))!;
    const { provision_state: state, target_provision_state: target } = found;
    expect([state, found['last_error']]).not.toContain('deploy failed');
    expect([null, 'active']).toContain(target);
    return state === 'active' && target === null;
  });

/** The project that the server is of has the machine for that time. */
const lesseeOf = async ({ api, node }: Server) =>
  (await api.ok('GET', `/v1/nodes/${node}?fields=lessee`, undefined, '1.109'))['lessee'];

const spawn = async (server: Server) => {
  await reserve(server);
  await plugVifs(server);
  await patch(server, instanceInfo(server));
  await volumes(server);
  await validate(server);
  await put(server, { target: 'active', configdrive: drive(server, 'first') });
  await active(server);
  expect(await lesseeOf(server)).toBe('project-1');
  const { disk } = await site.evidence(server.machine);
  expect(disk.image).toMatchObject({ sha256: site.images.demo_raw.sha256 });
  expect(disk.configdrive!.files['openstack/latest/user_data']).toMatchObject({ text: userData('first') });
};

const rebuild = async (server: Server) => {
  await patch(server, instanceInfo(server, { preserve_ephemeral: 'False', display_name: 'renamed' }));
  const version = at(server.manner, { since: 35 });
  await put(server, { target: 'rebuild', configdrive: drive(server, 'second') }, version);
  await active(server);
  const { disk } = await site.evidence(server.machine);
  expect(disk.configdrive!.files['openstack/latest/user_data']).toMatchObject({ text: userData('second') });
};

const rescue = async (server: Server) => {
  const version = at(server.manner, { since: 38 });
  await put(server, { target: 'rescue', rescue_password: 'correct horse' }, version);
  await server.api.reaches(server.node, 'rescue');
  expect(await site.evidence(server.machine)).toMatchObject({ power: 'on', phase: 'ramdisk' });
  await put(server, { target: 'unrescue' }, version);
  await active(server);
};

const switchPower = async (server: Server, target: string, to: string, timeout?: number) => {
  const version = at(server.manner, target.startsWith('soft') ? { since: 27 } : {});
  const body = { target, ...(timeout !== undefined && { timeout }) };
  await server.api.ok('PUT', `/v1/nodes/${server.node}/states/power`, body, version);
  const node = await until(`${server.node} to be ${to}`, async () => {
    const found = await nodeOf(server);
    return found!['target_power_state'] === null && found;
  });
  expect([node['power_state'], node['last_error']]).toEqual([to, null]);
};

const runs = async ({ machine }: Server) =>
  until(`${machine.name} to run its system`, async () => (await site.evidence(machine)).phase === 'os');

const operate = async (server: Server) => {
  const { api, manner, node, machine } = server;
  await runs(server);
  await switchPower(server, 'soft power off', 'power off', 60);
  await switchPower(server, 'power on', 'power on');
  await switchPower(server, 'rebooting', 'power on');
  await runs(server);
  await switchPower(server, 'soft rebooting', 'power on');
  await api.ok('PUT', `/v1/nodes/${node}/management/inject_nmi`, {}, at(manner, { since: 29 }));
  expect((await site.evidence(machine)).resets.at(-1)).toMatchObject({ type: 'Nmi' });
  const refused = await api.ask('GET', `/v1/nodes/${node}/states/console`);
  expect(refused).toMatchObject({ status: 400 });
};

const gone = ['available', 'cleaning', 'clean wait', 'clean failed'];

/** Until it is gone, the node of the instance is in none of the states of a node without one. */
const destroy = async (server: Server) => {
  await put(server, { target: 'deleted' });
  const seen = new Set<string>();
  await until(`${server.node} to be free`, async () => {
    const found = await nodeOf(server);
    if (found) seen.add(found.provision_state);
    return !found;
  });
  expect([...seen].filter((state) => gone.includes(state))).toEqual([]);
  const node = await server.api.reaches(server.node, 'available');
  expect(node).toMatchObject({ instance_uuid: null, instance_info: {}, last_error: null });
  expect(await lesseeOf(server)).toBeNull();
  const targets = await server.api.ok('GET', `/v1/volume/targets?node=${server.node}`, undefined, '1.32');
  expect(targets).toEqual({ targets: [] });
  expect(await server.api.ok('GET', `/v1/nodes/${server.node}/traits`)).toMatchObject({
    traits: expect.arrayContaining(['CUSTOM_GOLD']) as unknown,
  });
};

/** What the driver does with a node that it could not deploy. */
const cleanUp = async (server: Server) => {
  await patch(server, [
    { op: 'remove', path: '/instance_uuid' },
    { op: 'replace', path: '/instance_info', value: {} },
  ]);
  expect(await nodeOf(server)).toBeUndefined();
};

const [latest] = manners;

describe.concurrent('Nova', () => {
  it.each(manners)('leads a server through its whole life at $version, exact: $exact', async (manner) => {
    const machine = site.machines[manners.indexOf(manner)]!;
    const server = await offer(manner, machine);
    await inventory(server);
    await spawn(server);
    await rebuild(server);
    await operate(server);
    await rescue(server);
    await destroy(server);
    expect(await site.evidence(machine)).toMatchObject({ power: 'off', sessions: 0, violations: [] });
    expect(site.output()).not.toContain('correct horse');
  });

  it('gets one node for one of many servers, and no server two nodes', async () => {
    const [one, other] = [await offer(latest, nextMachine()), await offer(latest, nextMachine())];
    const add = async (server: Server, instance: string) =>
      server.api.ask('PATCH', `/v1/nodes/${server.node}`, [{ op: 'add', path: '/instance_uuid', value: instance }]);
    const instances = Array.from({ length: 20 }, () => crypto.randomUUID());
    const replies = await Promise.all(instances.map(async (instance) => add(one, instance)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...instances.slice(1).map(() => 409),
    ]);
    const winner = instances[replies.findIndex(({ status }) => status === 200)]!;
    expect((await add(other, winner)).status).toBe(409);
    await cleanUp(one);
  });

  it('hears why a deploy failed, and deletes the server', async () => {
    const server = await offer(latest, nextMachine());
    await reserve(server);
    await patch(server, instanceInfo(server, { image_os_hash_value: '0'.repeat(64) }));
    await validate(server);
    await put(server, { target: 'active', configdrive: drive(server, 'first') });
    const failed = await server.api.reaches(server.node, 'deploy failed');
    expect(failed).toMatchObject({ instance_uuid: server.uuid, last_error: expect.any(String) as string });
    expect((await nodeOf(server))!.provision_state).toBe('deploy failed');
    await destroy(server);
  });

  it('is told what is missing before it deploys, and gives the node back', async () => {
    const server = await offer(latest, nextMachine());
    await reserve(server);
    await patch(server, instanceInfo(server, { traits: ['CUSTOM_SILVER'] }));
    const { deploy } = (await server.api.ok('GET', `/v1/nodes/${server.node}/validate`)) as {
      deploy: { result: boolean; reason: string };
    };
    expect(deploy).toEqual({ result: false, reason: expect.stringContaining('CUSTOM_SILVER') as string });
    expect(
      (await server.api.ask('PUT', `/v1/nodes/${server.node}/states/provision`, { target: 'active' })).status,
    ).toBe(400);
    await cleanUp(server);
  });

  it('deletes a server while it is deployed', async () => {
    const server = await offer(latest, nextMachine());
    await reserve(server);
    await patch(server, instanceInfo(server));
    await site.fault(server.machine, { name: 'agent_never_calls' });
    await put(server, { target: 'active' });
    await server.api.reaches(server.node, 'wait call-back');
    await destroy(server);
  });

  it('steals the session of a console', async () => {
    const api = clientOf(site.url, '1.109');
    const { uuid } = (await api.ok('POST', '/v1/nodes', { driver: 'fake-hardware' })) as { uuid: string };
    const console = `/v1/nodes/${uuid}/states/console`;
    const turn = async (enabled: boolean) => api.ok('PUT', console, { enabled });
    for (const enabled of [true, false, true]) {
      await turn(enabled);
      await until('the console', async () => (await api.ok('GET', console))['console_enabled'] === enabled);
    }
    expect(await api.ok('GET', console)).toMatchObject({ console_info: { type: expect.any(String) as string } });
  });
});
