/** What Metal3's baremetal-operator sends in the life of a host, in its order, at each microversion that it pins. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Client, clientOf, type Patch } from './client.ts';
import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

/** Its releases pin one of these; each is tried with another make of machine. */
const pins = [
  ['1.89', 'plain'],
  ['1.93', 'dell'],
  ['1.95', 'hpe'],
  ['1.109', 'lenovo'],
  ['1.110', 'supermicro'],
] as const;
/** Machines of tests about one matter each. */
const spare = Array.from({ length: 6 }, () => 'plain');

let site: Site;

beforeAll(async () => {
  const profiles = [...pins.map(([, profile]) => profile), ...spare];
  site = await startSite({ machines: profiles.length, profiles: profiles.join(), env: {} });
});

afterAll(async () => site?.stop());

let taken = 0;
const nextMachine = (): Machine => site.machines[pins.length + taken++]!;

/** What the operator knows of a host; `uid` is that of its resource in Kubernetes. */
type Host = {
  readonly api: Client;
  readonly version: string;
  readonly machine: Machine;
  readonly name: string;
  readonly uid: string;
};

const hostOf = (machine: Machine, version: string): Host => ({
  api: clientOf(site.url, version),
  version,
  machine,
  name: `metal3~${machine.name}`,
  uid: crypto.randomUUID(),
});

const minor = ({ version }: Host) => Number(version.slice(2));

const driverInfo = ({ machine }: Host) => ({
  redfish_address: machine.address,
  redfish_system_id: machine.system_id,
  redfish_username: machine.username,
  redfish_password: machine.password,
  redfish_verify_ca: false,
});

const provision = async ({ api }: Host, uuid: string, target: string, more: object = {}) =>
  api.ok('PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more });

const patch = async ({ api }: Host, uuid: string, changes: Patch) => api.ok('PATCH', `/v1/nodes/${uuid}`, changes);

const add = (values: Readonly<Record<string, unknown>>): Patch =>
  Object.entries(values).map(([path, value]) => ({ op: 'add', path, value }));

const ready = async ({ api }: Host) => {
  const { body } = await api.ask('GET', '/v1/');
  expect(body['version']).toMatchObject({ id: 'v1', version: '1.115', min_version: '1.1' });
  const { drivers } = (await api.ok('GET', '/v1/drivers')) as { drivers: { name: string }[] };
  expect(drivers.map(({ name }) => name)).toContain('redfish');
};

/** Looks for the host by its name, then by its MAC address. */
const findHost = async ({ api, name, machine }: Host): Promise<string | undefined> => {
  const found = await api.ask('GET', `/v1/nodes/${name}`);
  if (found.status === 200) return found.body['uuid'] as string;
  expect(found.status).toBe(404);
  const query = `address=${machine.mac}&fields=node_uuid,uuid,address`;
  const { ports } = (await api.ok('GET', `/v1/ports?${query}`)) as { ports: { node_uuid: string }[] };
  return ports[0]?.node_uuid;
};

const enrol = async (host: Host, more: object = {}): Promise<string> => {
  const { api, name, machine } = host;
  const body = {
    driver: 'redfish',
    name,
    driver_info: driverInfo(host),
    boot_interface: 'redfish-virtual-media',
    firmware_interface: 'redfish',
    inspect_interface: 'agent',
    raid_interface: 'redfish',
    properties: { capabilities: 'boot_mode:uefi', cpu_arch: '' },
    ...(minor(host) >= 95 && { disable_power_off: false }),
    ...more,
  };
  const { uuid } = (await api.ok('POST', '/v1/nodes', body)) as { uuid: string };
  expect((await api.ask('POST', '/v1/nodes', body)).status).toBe(409);
  const port = { node_uuid: uuid, address: machine.mac, pxe_enabled: true };
  await api.ok('POST', '/v1/ports', port);
  expect((await api.ask('POST', '/v1/ports', port)).status).toBe(409);
  return uuid;
};

/** From nothing to manageable, with the settings that the operator writes when it has found the node again. */
const register = async (host: Host, more: object = {}): Promise<string> => {
  const { api, machine } = host;
  expect(await findHost(host)).toBeUndefined();
  const uuid = await enrol(host, more);
  expect(await findHost(host)).toBe(uuid);
  const query = `address=${machine.mac.toUpperCase()}&fields=node_uuid,uuid,address`;
  expect(await api.ok('GET', `/v1/ports?${query}`)).toMatchObject({ ports: [{ node_uuid: uuid }] });
  await provision(host, uuid, 'manage');
  expect(await api.reaches(uuid, 'manageable')).toMatchObject({ last_error: null, target_provision_state: null });
  await patch(host, uuid, [
    ...add({
      '/driver_info/deploy_iso': site.images.deploy_iso,
      '/driver_info/kernel_append_params': 'console=ttyS0',
      '/automated_clean': true,
    }),
    { op: 'replace', path: '/name', value: host.name },
    { op: 'replace', path: '/properties/cpu_arch', value: 'x86_64' },
  ]);
  return uuid;
};

const capacity = async ({ api }: Host, uuid: string) => {
  const { nodes } = (await api.ok('GET', '/v1/nodes?fields=uuid,name,provision_state,boot_interface')) as {
    nodes: { uuid: string }[];
  };
  const found = nodes.find((node) => node.uuid === uuid)!;
  expect(Object.keys(found).toSorted()).toEqual(['boot_interface', 'links', 'name', 'provision_state', 'uuid']);
};

/** A first inspection is aborted because the image of the ramdisk has changed. */
const inspect = async (host: Host, uuid: string) => {
  const { api, machine } = host;
  expect((await api.ask('GET', `/v1/nodes/${uuid}/inventory`)).status).toBe(404);
  await site.fault(machine, { name: 'agent_never_calls' });
  await provision(host, uuid, 'inspect');
  await api.reaches(uuid, 'inspect wait');
  await provision(host, uuid, 'abort');
  expect((await api.reaches(uuid, 'inspect failed'))['last_error']).toContain('aborted');
  await site.mend(machine);
  await provision(host, uuid, 'inspect');
  expect(await api.reaches(uuid, 'manageable')).toMatchObject({ last_error: null });
  expect(await api.ok('GET', `/v1/nodes/${uuid}/inventory`)).toMatchObject({
    inventory: {
      interfaces: [{ mac_address: machine.mac }],
      memory: { physical_mb: expect.any(Number) as number },
      disks: [{ name: expect.any(String) as string }],
      cpu: { architecture: 'x86_64' },
      system_vendor: { product_name: expect.any(String) as string },
      hostname: expect.any(String) as string,
    },
    plugin_data: expect.any(Object) as object,
  });
};

const biosOf = async ({ api }: Host, uuid: string) => {
  const { bios } = (await api.ok('GET', `/v1/nodes/${uuid}/bios?detail=true`)) as { bios: { name: string }[] };
  return new Map(bios.map((setting) => [setting.name, setting as { name: string; value: string }]));
};

const applyBios = (settings: object[]) => ({ interface: 'bios', step: 'apply_configuration', args: { settings } });

/** RAID is refused, the BIOS is changed; what the BIOS does not know fails, and the operator starts over. */
const prepare = async (host: Host, uuid: string) => {
  const { api } = host;
  const raid = { logical_disks: [{ size_gb: 50, raid_level: '1', is_root_volume: true }] };
  const refused = await api.ask('PUT', `/v1/nodes/${uuid}/states/raid`, raid);
  expect(refused).toMatchObject({ status: 404 });
  expect(JSON.stringify(refused.body)).toContain('does not support raid');
  expect(await api.ok('GET', `/v1/nodes/${uuid}/firmware`)).toMatchObject({
    firmware: expect.arrayContaining([expect.objectContaining({ component: 'bios' })]) as unknown,
  });
  expect((await biosOf(host, uuid)).get('WorkloadProfile')).toMatchObject({ value: 'Balanced' });
  const settings = [
    { name: 'WorkloadProfile', value: 'MaxPerformance' },
    { name: 'BootTimeout', value: 30 },
  ];
  await provision(host, uuid, 'clean', { clean_steps: [applyBios(settings)] });
  expect(await api.reaches(uuid, 'manageable')).toMatchObject({ last_error: null, clean_step: {} });
  const changed = await biosOf(host, uuid);
  expect(changed.get('WorkloadProfile')).toMatchObject({ value: 'MaxPerformance' });
  expect(changed.get('BootTimeout')).toMatchObject({ value: '30' });

  const unknown = [applyBios([{ name: 'NoSuchSetting', value: 'x' }])];
  await provision(host, uuid, 'clean', { clean_steps: unknown });
  const failed = await api.reaches(uuid, 'clean failed');
  expect(failed['last_error']).toContain('NoSuchSetting');
  if (failed['maintenance']) await patch(host, uuid, [{ op: 'replace', path: '/maintenance', value: false }]);
  await provision(host, uuid, 'manage');
  await api.reaches(uuid, 'manageable');
};

const image = () => ({
  '/instance_info/image_source': site.images.demo_raw.url,
  '/instance_info/image_os_hash_algo': 'sha256',
  '/instance_info/image_os_hash_value': site.images.demo_raw.sha256,
  '/instance_info/image_disk_format': 'raw',
});

const configdrive = ({ name, uid }: Host) => ({
  meta_data: { uuid: uid, 'metal3-namespace': 'metal3', name, local_hostname: name },
  network_data: { links: [], networks: [], services: [] },
  user_data: '#cloud-config\n',
});

const provisionSettings = async (host: Host, uuid: string) => {
  await patch(host, uuid, [
    ...add({
      ...image(),
      '/instance_uuid': host.uid,
      '/instance_info/capabilities': { boot_mode: 'uefi' },
      '/instance_info/image_pull_secret': 'cHVsbDpzZWNyZXQ=',
      '/properties/root_device': { name: 's== /dev/nvme0n1' },
      '/properties/capabilities': 'boot_mode:uefi',
      '/driver_info/force_persistent_boot_device': 'Default',
    }),
    { op: 'remove', path: '/deploy_interface' },
  ]);
  const shown = await host.api.ok('GET', `/v1/nodes/${uuid}`);
  expect(shown).toMatchObject({ deploy_interface: 'direct', instance_uuid: host.uid });
  expect(shown['instance_info']).toMatchObject({ image_pull_secret: '******' });
};

const deploy = async (host: Host, uuid: string) => {
  const { api, machine } = host;
  await provisionSettings(host, uuid);
  expect(await api.ok('GET', `/v1/nodes/${uuid}/validate`)).toMatchObject({
    boot: { result: true },
    deploy: { result: true },
  });
  await provision(host, uuid, 'provide');
  await api.reaches(uuid, 'available');
  await provision(host, uuid, 'active', { configdrive: configdrive(host) });
  expect(await api.reaches(uuid, 'active')).toMatchObject({ last_error: null, instance_uuid: host.uid });
  const { disk } = await site.evidence(machine);
  expect(disk.image).toMatchObject({ sha256: site.images.demo_raw.sha256 });
  expect(disk.configdrive!.files['openstack/latest/user_data']).toMatchObject({ text: '#cloud-config\n' });
};

/** The operating system of a machine that was switched on, which soft actions ask. */
const running = async ({ machine }: Host) =>
  until(`${machine.name} to run its system`, async () => (await site.evidence(machine)).phase === 'os');

const switchPower = async ({ api }: Host, uuid: string, body: { target: string; timeout?: number }, to: string) => {
  await api.ok('PUT', `/v1/nodes/${uuid}/states/power`, body);
  await until(`${uuid} to be ${to}`, async () => {
    const node = await api.ok('GET', `/v1/nodes/${uuid}`);
    return node['target_power_state'] === null && node['power_state'] === to;
  });
};

/** A system that does not listen is asked in vain, then switched off. */
const switchOffAfterAll = async (host: Host, uuid: string) => {
  const { api, machine } = host;
  await running(host);
  await site.fault(machine, { name: 'reset_ignored' });
  await api.ok('PUT', `/v1/nodes/${uuid}/states/power`, { target: 'soft power off', timeout: 1 });
  const node = await api.unlocked(uuid);
  expect(node).toMatchObject({ power_state: 'power on', target_power_state: null, fault: null, maintenance: false });
  expect(node['last_error']).toEqual(expect.any(String));
  await site.mend(machine);
  await switchPower(host, uuid, { target: 'power off' }, 'power off');
  await switchPower(host, uuid, { target: 'power on' }, 'power on');
};

/** The operator changes the BIOS of a host that runs, and takes back a change that does not work. */
const service = async (host: Host, uuid: string) => {
  const { api } = host;
  const steps = [applyBios([{ name: 'WorkloadProfile', value: 'PowerSaving' }])];
  await provision(host, uuid, 'service', { service_steps: steps });
  expect(await api.reaches(uuid, 'active')).toMatchObject({ last_error: null, service_step: {} });
  expect((await biosOf(host, uuid)).get('WorkloadProfile')).toMatchObject({ value: 'PowerSaving' });

  const wrong = [applyBios([{ name: 'NoSuchSetting', value: 'x' }])];
  await provision(host, uuid, 'service', { service_steps: wrong });
  const failed = await api.reaches(uuid, 'service failed');
  expect(failed['last_error']).toContain('NoSuchSetting');
  if (failed['maintenance']) await patch(host, uuid, [{ op: 'replace', path: '/maintenance', value: false }]);
  await provision(host, uuid, 'abort');
  await api.reaches(uuid, 'active');
  await api.unlocked(uuid);
};

/** The change is withdrawn while the host waits for its agent: it runs its instance again. */
const withdrawService = async (host: Host, uuid: string) => {
  const { api, machine } = host;
  await site.fault(machine, { name: 'agent_never_calls' });
  await provision(host, uuid, 'service', { service_steps: [{ interface: 'deploy', step: 'burnin_cpu' }] });
  await api.reaches(uuid, 'service wait');
  expect((await api.ask('DELETE', `/v1/nodes/${uuid}`)).status).toBe(409);
  await provision(host, uuid, 'abort');
  await site.mend(machine);
  await api.reaches(uuid, 'service failed', 'active');
  expect(await api.reaches(uuid, 'active')).toMatchObject({ instance_uuid: host.uid, maintenance: false });
  await api.unlocked(uuid);
  await running(host);
  expect((await site.evidence(machine)).disk.image).toMatchObject({ sha256: site.images.demo_raw.sha256 });
};

const dataImage = async (host: Host, uuid: string) => {
  const { api, machine } = host;
  const at = `/v1/nodes/${uuid}/vmedia`;
  const url = site.images.live_iso;
  await api.ok('POST', at, { device_type: 'cdrom', image_url: url });
  await api.unlocked(uuid);
  const images = async () => Object.values((await site.evidence(machine)).media).flatMap((one) => one?.image ?? []);
  expect(await images()).toEqual([url]);
  if (minor(host) >= 93) expect(JSON.stringify(await api.ok('GET', at))).toContain(url);
  else expect((await api.ask('GET', at)).status).toBe(404);
  await api.ok('DELETE', `${at}?device_types=cdrom`);
  await api.unlocked(uuid);
  expect(await images()).toEqual([]);
};

/** Its resource BMCEventSubscription. */
const subscribe = async ({ api, uid }: Host, uuid: string) => {
  const at = (method: string) => `/v1/nodes/${uuid}/vendor_passthru?method=${method}`;
  const wish = { Destination: 'https://events.example.org/hook', Context: uid, HttpHeaders: [{ 'X-Token': 's3cr3t' }] };
  const made = await api.ok('POST', at('create_subscription'), wish);
  expect(made).toEqual({
    Id: expect.any(String) as string,
    Destination: wish.Destination,
    Context: uid,
    Protocol: 'Redfish',
    EventTypes: ['Alert'],
  });
  expect(await api.ok('GET', at('get_all_subscriptions'))).toMatchObject({ 'Members@odata.count': 1 });
  await api.ok('DELETE', at('delete_subscription'), { id: made['Id'] });
  expect(await api.ok('GET', at('get_all_subscriptions'))).toMatchObject({ Members: [] });
  expect(site.output()).not.toContain('s3cr3t');
};

const deprovision = async (host: Host, uuid: string) => {
  await provision(host, uuid, 'deleted');
  const node = await host.api.reaches(uuid, 'available');
  expect(node).toMatchObject({ instance_uuid: null, instance_info: {}, last_error: null });
  expect((await site.evidence(host.machine)).disk).toMatchObject({ image: null, configdrive: null });
};

const remove = async ({ api }: Host, uuid: string) => {
  await api.ok('DELETE', `/v1/nodes/${uuid}`);
  expect((await api.ask('DELETE', `/v1/nodes/${uuid}`)).status).toBe(404);
};

describe.concurrent('Metal3', () => {
  it.each(pins)('leads a host through its whole life at %s (%s)', async (version, profile) => {
    const host = hostOf(
      site.machines.find((machine) => machine.profile === profile)!,
      version,
    );
    await ready(host);
    const uuid = await register(host);
    await capacity(host, uuid);
    await inspect(host, uuid);
    await prepare(host, uuid);
    await deploy(host, uuid);
    await running(host);
    await switchPower(host, uuid, { target: 'soft power off', timeout: 60 }, 'power off');
    await switchPower(host, uuid, { target: 'power on' }, 'power on');
    await switchOffAfterAll(host, uuid);
    await service(host, uuid);
    await withdrawService(host, uuid);
    await dataImage(host, uuid);
    await subscribe(host, uuid);
    await deprovision(host, uuid);
    await remove(host, uuid);
    expect(await findHost(host)).toBeUndefined();
    expect(await site.evidence(host.machine)).toMatchObject({ power: 'off', sessions: 0, violations: [] });
  });

  it('hears of a wrong password, and registers with the right one', async () => {
    const host = hostOf(nextMachine(), '1.109');
    const { api, machine } = host;
    const uuid = await enrol(host, { driver_info: { ...driverInfo(host), redfish_password: 'not it' } });
    await provision(host, uuid, 'manage');
    const refused = await until('the error', async () => {
      const node = await api.ok('GET', `/v1/nodes/${uuid}`);
      return node['provision_state'] === 'enroll' && node['last_error'] !== null && node;
    });
    expect(refused).toMatchObject({ target_provision_state: null, maintenance: false });
    expect(refused['last_error']).toMatch(/password|credential/i);
    await patch(host, uuid, [{ op: 'replace', path: '/driver_info', value: driverInfo(host) }]);
    await provision(host, uuid, 'manage');
    await api.reaches(uuid, 'manageable');
    expect((await site.evidence(machine)).auth_failures).toBe(1);
  });

  it('adopts a host that is in use, and deletes it with its instance left alone', async () => {
    const host = hostOf(nextMachine(), '1.109');
    const { api } = host;
    const uuid = await register(host);
    await patch(host, uuid, add({ '/driver_info/redfish_password': 'not it' }));
    await provision(host, uuid, 'adopt');
    expect((await api.reaches(uuid, 'adopt failed'))['last_error']).toMatch(/password|credential/i);
    await patch(host, uuid, add({ '/driver_info': driverInfo(host) }));
    await patch(host, uuid, add({ ...image(), '/instance_uuid': host.uid }));
    await provision(host, uuid, 'adopt');
    await api.reaches(uuid, 'active');
    expect((await api.ask('DELETE', `/v1/nodes/${uuid}`)).status).toBe(409);
    await patch(host, uuid, [{ op: 'replace', path: '/maintenance', value: true }]);
    await remove(host, uuid);
    expect((await site.evidence(host.machine)).boots).toEqual([]);
  });

  it('deploys again from "deploy failed" with another image', async () => {
    const host = hostOf(nextMachine(), '1.110');
    const { api } = host;
    const uuid = await register(host);
    await patch(host, uuid, add({ ...image(), '/instance_uuid': host.uid }));
    await patch(host, uuid, add({ '/instance_info/image_os_hash_value': '0'.repeat(64), '/automated_clean': false }));
    await provision(host, uuid, 'provide');
    await api.reaches(uuid, 'available');
    await provision(host, uuid, 'active', { configdrive: configdrive(host), deploy_steps: [] });
    const failed = await api.reaches(uuid, 'deploy failed');
    expect(failed['last_error']).toMatch(/checksum|hash|digest/i);
    await api.unlocked(uuid);
    await patch(host, uuid, add(image()));
    expect(await api.ok('GET', `/v1/nodes/${uuid}/validate`)).toMatchObject({ deploy: { result: true } });
    await provision(host, uuid, 'active', { configdrive: configdrive(host) });
    expect(await api.reaches(uuid, 'active')).toMatchObject({ last_error: null });
  });

  it('runs a live image', async () => {
    const host = hostOf(nextMachine(), '1.109');
    const { api } = host;
    const uuid = await register(host, { deploy_interface: 'ramdisk' });
    await patch(
      host,
      uuid,
      add({
        '/instance_uuid': host.uid,
        '/deploy_interface': 'ramdisk',
        '/instance_info/boot_iso': site.images.live_iso,
        '/automated_clean': false,
      }),
    );
    expect(await api.ok('GET', `/v1/nodes/${uuid}/validate`)).toMatchObject({ deploy: { result: true } });
    await provision(host, uuid, 'provide');
    await api.reaches(uuid, 'available');
    await provision(host, uuid, 'active');
    await api.reaches(uuid, 'active');
    await deprovision(host, uuid);
  });

  it('gives up a host while it waits for an agent, whatever it waits for', async () => {
    const host = hostOf(nextMachine(), '1.110');
    const { api, machine } = host;
    const uuid = await register(host);
    await site.fault(machine, { name: 'agent_never_calls' });
    await provision(host, uuid, 'provide');
    await api.reaches(uuid, 'clean wait');
    expect((await api.ask('DELETE', `/v1/nodes/${uuid}`)).status).toBe(409);
    await provision(host, uuid, 'abort');
    expect((await api.reaches(uuid, 'clean failed'))['last_error']).toContain('aborted');
    await api.unlocked(uuid);
    await provision(host, uuid, 'manage');
    await api.reaches(uuid, 'manageable');
    await patch(host, uuid, add({ ...image(), '/instance_uuid': host.uid, '/automated_clean': false }));
    await provision(host, uuid, 'provide');
    await api.reaches(uuid, 'available');
    await provision(host, uuid, 'active');
    await api.reaches(uuid, 'wait call-back');
    await provision(host, uuid, 'deleted');
    await api.reaches(uuid, 'available');
    await remove(host, uuid);
  });

  it('deletes a host that never was reached', async () => {
    const host = hostOf(nextMachine(), '1.89');
    await remove(host, await enrol(host));
  });
});
