/** An Ironic as a site has it after some years: nodes in all states that nodes rest in, and one or two of whatever else there is. */
import { gzipSync } from 'node:zlib';

import type { Machine } from '../machine/site.ts';
import { request, until } from '../machine/system.ts';
import type { Ironic } from './ironic.ts';

type Body = Readonly<Record<string, unknown>>;

/** Secrets of the source. None is ever shown to anybody. */
export const canaries = {
  ipmi: 'c4nary-of-ipmi',
  iscsi: 'c4nary-of-chap',
  step: 'c4nary-of-a-step',
  configdrive: gzipSync('c4nary-of-a-configdrive').toString('base64'),
} as const;

const project = { owner: 'p-owner', lessee: 'p-lessee' } as const;
export const trait = 'CUSTOM_GOLD';

const properties = { cpu_arch: 'x86_64', cpus: 8, memory_mb: 16384, local_gb: 100, capabilities: 'boot_mode:uefi' };
const uuidOf = (n: number): string => `00000000-1b00-4000-8000-${String(n).padStart(12, '0')}`;

/** Ways from `enroll`, by what is asked for. */
const ways: { readonly [target: string]: { readonly body?: Body; readonly ends: string } } = {
  manage: { ends: 'manageable' },
  provide: { ends: 'available' },
  adopt: { ends: 'active' },
  active: { body: { configdrive: canaries.configdrive }, ends: 'active' },
  deleted: { ends: 'available' },
  rescue: { body: { rescue_password: 'c4nary-of-rescue' }, ends: 'rescue' },
};

type Wanted = {
  readonly name: string;
  readonly way?: readonly string[];
  readonly create?: Body;
  readonly patch?: Body;
  readonly traits?: readonly string[];
  /** Set into maintenance, with this reason. */
  readonly maintenance?: string;
};

const instance = (n: number, name: string): Body => ({
  instance_uuid: uuidOf(n),
  instance_info: { display_name: name, image_source: uuidOf(n + 100), image_type: 'whole-disk', root_gb: 20 },
});

const nodes: readonly Wanted[] = [
  { name: 'enrolled', create: { description: `it's "new"; \\ back\\n, ü サ`, extra: { rack: "it's 7" } } },
  { name: 'managed', way: ['manage'], create: { automated_clean: false } },
  {
    name: 'free',
    way: ['manage', 'provide'],
    create: { resource_class: 'baremetal', shard: 's1' },
    patch: { owner: project.owner },
    traits: [trait, 'HW_CPU_X86_VMX'],
  },
  { name: 'wanted', way: ['manage', 'provide'], create: { resource_class: 'gold' }, traits: [trait] },
  {
    name: 'working',
    way: ['manage', 'provide', 'active'],
    create: { resource_class: 'baremetal' },
    patch: { ...instance(1, 'web-1'), ...project },
  },
  {
    name: 'guarded',
    way: ['manage', 'provide', 'active'],
    patch: { ...instance(2, 'db-1'), protected: true, protected_reason: 'it is the only one' },
  },
  { name: 'rescued', way: ['manage', 'provide', 'active', 'rescue'], patch: instance(3, 'sick-1') },
  { name: 'failed', way: ['manage', 'provide'] },
  { name: 'spoilt', way: ['manage'] },
  { name: 'kept', way: ['manage', 'provide'], maintenance: 'the fan is loud' },
  { name: 'retired', way: ['manage'], patch: { retired: true, retired_reason: 'it is old' } },
  { name: 'card', create: { network_data: {} } },
];

const redfishOf = ({ name, address, system_id, username, password }: Machine, at: number): Wanted => ({
  name: `${name}-redfish`,
  way: at < 2 ? ['manage', 'adopt'] : ['manage', 'provide'],
  create: {
    driver: 'redfish',
    // The last one boots in a way that is not everybody's.
    ...(at < 2 && { boot_interface: 'redfish-virtual-media' }),
    driver_info: {
      // Where its service root is; what it links to begins with the path of it.
      redfish_address: `${address}/redfish/v1`,
      redfish_system_id: `${new URL(address).pathname}${system_id}`,
      redfish_username: username,
      redfish_password: password,
      // Ironic knows no certificate here, only files with some.
      redfish_verify_ca: false,
    },
    ...(at < 2 && {
      ...instance(10 + at, `app-${at}`),
      instance_info: {
        ...(instance(10 + at, `app-${at}`)['instance_info'] as Body),
        capabilities: { boot_option: 'local' },
      },
    }),
  },
});

/** Whether what came with the microversion 1.N is there. */
type Since = (minor: number) => boolean;

/** What an administrator asks an API, at the newest microversion unless one is named. Refusals are thrown; what is locked is asked for again. */
export const openAdministration = (url: string, microversion?: string) => {
  const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const reply = await until(`${method} ${path}`, async () => {
      const one = await request(url, method, path, body, microversion);
      return one.status !== 409 && one.status !== 503 && one;
    });
    if (reply.status < 300) return reply.body;
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  };
  const patch = async (node: string, values: Body, query = '') =>
    ask(
      'PATCH',
      `/v1/nodes/${node}${query}`,
      Object.entries(values).map(([name, value]) => ({ op: 'add', path: `/${name}`, value })),
    );
  const provision = async (node: string, target: string) => {
    const { body, ends } = ways[target]!;
    await ask('PUT', `/v1/nodes/${node}/states/provision`, { target, ...body });
    const { provision_state: state, last_error: error } = await until(`${node} to be ${ends}`, async () => {
      const now = await ask('GET', `/v1/nodes/${node}`);
      const at = String(now['provision_state']);
      return now['reservation'] === null && (at === ends || /failed$|^enroll$|^error$/.test(at)) && now;
    });
    if (state !== ends) throw new Error(`${node} is in ${String(state)}: ${String(error)}`);
  };
  return { ask, patch, provision };
};

type Administration = ReturnType<typeof openAdministration>;

const makeNode = async ({ ask, patch, provision }: Administration, wanted: Wanted): Promise<void> => {
  const { name, way = [], create, patch: changes, traits, maintenance } = wanted;
  await ask('POST', '/v1/nodes', { name, driver: 'fake-hardware', properties, ...create });
  // What has an instance gets it last before it is deployed.
  for (const target of way) {
    if (target === 'active' && changes)
      await patch(name, { instance_uuid: changes['instance_uuid'], instance_info: changes['instance_info'] });
    await provision(name, target);
  }
  if (changes) await patch(name, changes);
  if (traits) await ask('PUT', `/v1/nodes/${name}/traits`, { traits });
  if (maintenance !== undefined) await ask('PUT', `/v1/nodes/${name}/maintenance`, { reason: maintenance });
};

/** With an instance, and of a driver that has no machine here to be deployed with: it gets its driver afterwards. */
const makeIpmi = async (administration: Administration): Promise<void> => {
  const { ask, patch } = administration;
  const driver_info = { ipmi_address: '192.0.2.7', ipmi_username: 'root', ipmi_password: canaries.ipmi };
  await ask('POST', '/v1/nodes', { name: 'ipmi-new', driver: 'ipmi', driver_info, properties });
  const name = 'ipmi-busy';
  await makeNode(administration, { name, way: ['manage', 'provide', 'active'], patch: instance(4, 'old-1') });
  await ask('PUT', `/v1/nodes/${name}/maintenance`, { reason: 'it gets another driver' });
  await patch(name, { driver: 'ipmi', driver_info }, '?reset_interfaces=true');
  await ask('DELETE', `/v1/nodes/${name}/maintenance`);
};

/** What belongs to nodes, and what stands beside them. */
const makeRest = async ({ ask, patch }: Administration, has: Since): Promise<void> => {
  const of = async (name: string): Promise<string> => (await ask('GET', `/v1/nodes/${name}`))['uuid'] as string;
  const free = await of('free');
  const chassis = await ask('POST', '/v1/chassis', { description: 'rack 7', extra: { row: 'B' } });
  await patch('enrolled', { chassis_uuid: chassis['uuid'] });
  if (has(83)) await patch('card', { parent_node: await of('managed') });
  const group = await ask('POST', '/v1/portgroups', {
    node_uuid: free,
    name: 'bond0',
    address: '52:54:00:00:00:01',
    mode: '802.3ad',
    properties: { miimon: '100' },
  });
  const link = { switch_id: '00:00:5e:00:53:01', port_id: 'Eth1/1', switch_info: 'leaf-1' };
  for (const [at, more] of [
    [1, { portgroup_uuid: group['uuid'], local_link_connection: link }],
    [2, { portgroup_uuid: group['uuid'], pxe_enabled: false, physical_network: null }],
    [
      3,
      {
        ...(has(88) && { name: 'free-oob' }),
        ...(has(97) && { description: 'management' }),
        physical_network: 'physnet1',
        extra: { wire: 3 },
      },
    ],
  ] as const) {
    await ask('POST', '/v1/ports', { node_uuid: free, address: `52:54:00:00:01:0${at}`, ...more });
  }
  await ask('POST', '/v1/ports', { node_uuid: await of('working'), address: '52:54:00:00:02:01' });
  await ask('POST', '/v1/volume/connectors', {
    node_uuid: free,
    type: 'iqn',
    connector_id: 'iqn.2026-01.org.example:free',
  });
  await ask('POST', '/v1/volume/targets', {
    node_uuid: free,
    volume_type: 'iscsi',
    boot_index: 0,
    volume_id: 'vol-1',
    properties: { target_iqn: 'iqn.2026-01.org.example:vol', auth_password: canaries.iscsi },
  });
  // It takes no node whose power state is not known.
  await ask('PUT', '/v1/nodes/wanted/states/power', { target: 'power off' });
  await until('the power state', async () => (await ask('GET', '/v1/nodes/wanted'))['power_state'] === 'power off', 60);
  const allocation = await ask('POST', '/v1/allocations', { name: 'mine', resource_class: 'gold', traits: [trait] });
  await until('the allocation', async () => {
    return (await ask('GET', `/v1/allocations/${String(allocation['uuid'])}`))['state'] === 'active';
  });
  const step = { interface: 'deploy', step: 'deploy', args: { token: canaries.step }, priority: 100 };
  await ask('POST', '/v1/deploy_templates', { name: trait, steps: [step], extra: { by: 'ann' } });
  const { priority: _, ...ordered } = step;
  if (has(92))
    await ask('POST', '/v1/runbooks', {
      name: 'CUSTOM_WEEKLY',
      description: 'on mondays',
      steps: [{ ...ordered, interface: 'raid', step: 'delete_configuration', args: {}, order: 1 }],
    });
  if (has(96))
    await ask('POST', '/v1/inspection_rules', {
      description: 'all of them are',
      priority: 7,
      conditions: [],
      actions: [{ op: 'set-attribute', args: { path: '/extra/{item}', value: 'yes' }, loop: ['seen', 'counted'] }],
    });
};

/** Makes all of it. The first two machines run instances, as their site adopted them; the others are free. */
export const populate = async (
  { url, microversion }: Pick<Ironic, 'url' | 'microversion'>,
  machines: readonly Machine[],
): Promise<void> => {
  const administration = openAdministration(url, microversion);
  const has: Since = (minor) => minor <= Number(microversion.slice(2));
  const wanted = [...nodes, ...machines.map(redfishOf)];
  await Promise.all(wanted.map(async (one) => makeNode(administration, one)));
  await makeIpmi(administration);
  await makeRest(administration, has);
};

/** States that no request brings about where every machine does as it is told. For a database that nobody has open. */
export const failures = `
UPDATE nodes SET provision_state = 'error', target_provision_state = 'available', last_error = 'Failed to tear down.'
 WHERE name = 'failed';
UPDATE nodes SET provision_state = 'clean failed', target_provision_state = 'available', maintenance = TRUE,
 fault = 'clean failure', maintenance_reason = 'Cleaning failed.', last_error = 'Cleaning failed: no disk.'
 WHERE name = 'spoilt';
`;
