/**
 * What Ironic's reference says of microversions, written down by hand and apart from the product's own tables: what is
 * there since when, and what is answered before (ironic-api.md 1.2, 2.2 to 2.7, 3 to 9).
 */

/** A whole resource that is too new answers 404; these answer 405 to everything but GET. */
export const notAllowedBefore = ['allocations', 'deploy_templates', 'runbooks', 'inspection_rules'];

/** Below these paths an older version is told by another status than 404. */
export const refusedBefore: readonly { readonly path: string; readonly read: number; readonly write: number }[] = [
  { path: '/v1/nodes/{ident}/traits', read: 406, write: 405 },
  { path: '/v1/nodes/{ident}/states/raid', read: 406, write: 406 },
  { path: '/v1/drivers/{driver}/raid/logical_disk_properties', read: 406, write: 406 },
];

type Since = { readonly [name: string]: number };

/** Fields beyond those of 1.1, by collection. */
export const fieldsSince: { readonly [collection: string]: Since } = {
  nodes: {
    driver_internal_info: 3,
    name: 5,
    inspection_started_at: 6,
    inspection_finished_at: 6,
    clean_step: 7,
    raid_config: 12,
    target_raid_config: 12,
    states: 14,
    network_interface: 20,
    resource_class: 21,
    portgroups: 24,
    boot_interface: 31,
    console_interface: 31,
    deploy_interface: 31,
    inspect_interface: 31,
    management_interface: 31,
    power_interface: 31,
    raid_interface: 31,
    vendor_interface: 31,
    volume: 32,
    storage_interface: 33,
    traits: 37,
    rescue_interface: 38,
    bios_interface: 40,
    fault: 42,
    deploy_step: 44,
    conductor_group: 46,
    automated_clean: 47,
    protected: 48,
    protected_reason: 48,
    conductor: 49,
    owner: 50,
    description: 51,
    allocation_uuid: 52,
    retired: 61,
    retired_reason: 61,
    lessee: 65,
    network_data: 66,
    boot_mode: 75,
    secure_boot: 75,
    shard: 82,
    parent_node: 83,
    firmware_interface: 86,
    service_step: 87,
    disable_power_off: 95,
    instance_name: 104,
    health: 109,
  },
  ports: {
    internal_info: 18,
    pxe_enabled: 19,
    local_link_connection: 19,
    portgroup_uuid: 24,
    physical_network: 34,
    is_smartnic: 53,
    name: 88,
    description: 97,
    vendor: 100,
    category: 101,
    available_for_dynamic_portgroup: 111,
  },
  portgroups: { mode: 26, properties: 26, physical_network: 102, category: 103, dynamic_portgroup: 111 },
  allocations: { owner: 60 },
  runbooks: { description: 112, traits: 112 },
};

/** Values that POST takes for a field; fields that are not here are set by the server alone. */
export const values: { readonly [collection: string]: { readonly [field: string]: unknown } } = {
  nodes: {
    name: 'n',
    network_interface: 'noop',
    resource_class: 'c',
    boot_interface: 'fake',
    console_interface: 'fake',
    deploy_interface: 'fake',
    inspect_interface: 'fake',
    management_interface: 'fake',
    power_interface: 'fake',
    raid_interface: 'fake',
    vendor_interface: 'fake',
    storage_interface: 'noop',
    rescue_interface: 'no-rescue',
    bios_interface: 'no-bios',
    conductor_group: 'g',
    automated_clean: true,
    owner: 'o',
    description: 'd',
    retired: true,
    retired_reason: 'r',
    lessee: 'l',
    network_data: {},
    shard: 's',
    firmware_interface: 'no-firmware',
    disable_power_off: true,
    instance_name: 'i',
  },
  ports: {
    pxe_enabled: true,
    local_link_connection: {},
    physical_network: 'p',
    is_smartnic: false,
    name: 'p',
    description: 'd',
    vendor: 'v',
    category: 'c',
    available_for_dynamic_portgroup: true,
  },
  portgroups: { mode: 'active-backup', properties: {}, physical_network: 'p', category: 'c' },
  allocations: { owner: 'o' },
  runbooks: { description: 'd' },
};

/** Fields of a node that only PATCH takes. */
export const patchOnly: { readonly [field: string]: unknown } = { protected: false, protected_reason: null };

/** Filters beyond those of 1.1, with a value that is fine. */
export const filtersSince: {
  readonly [path: string]: { readonly [name: string]: readonly [since: number, value: string] };
} = {
  '/v1/nodes': {
    fields: [8, 'uuid'],
    provision_state: [9, 'enroll'],
    driver: [16, 'fake-hardware'],
    resource_class: [21, 'c'],
    fault: [42, 'clean failure'],
    conductor_group: [46, 'g'],
    conductor: [49, 'ingot'],
    owner: [50, 'o'],
    lessee: [65, 'l'],
    shard: [82, 's'],
    sharded: [82, 'true'],
    include_children: [83, 'true'],
    parent_node: [83, 'n1'],
    instance_name: [104, 'i'],
  },
  '/v1/ports': { fields: [8, 'uuid'], portgroup: [24, 'bond0'], shard: [82, 's'], conductor_groups: [99, 'g'] },
  '/v1/portgroups': { conductor_groups: [99, 'g'], shard: [106, 's'] },
  '/v1/chassis': { fields: [8, 'uuid'] },
  '/v1/drivers': { type: [30, 'dynamic'], detail: [30, 'true'], fields: [77, 'name'] },
  '/v1/allocations': { owner: [60, 'o'] },
};

/** Filters that upstream takes at any version. */
export const neverGated: { readonly [name: string]: string } = {
  retired: 'true',
  description_contains: 'd',
  project: 'p',
  associated: 'false',
  maintenance: 'false',
};

/** Collections whose `detail=` is 400 below 1.43. */
export const detailed = ['/v1/nodes', '/v1/ports', '/v1/portgroups', '/v1/chassis'];

/** Verbs beyond those of 1.1, with a state from which they are possible. */
export const verbsSince: { readonly [verb: string]: readonly [since: number, from: string, body?: object] } = {
  manage: [4, 'enroll'],
  provide: [4, 'manageable'],
  inspect: [6, 'manageable'],
  abort: [13, 'clean wait'],
  clean: [15, 'manageable', { clean_steps: [{ interface: 'deploy', step: 'erase_devices' }] }],
  adopt: [17, 'manageable'],
  rescue: [38, 'active', { rescue_password: 'secret' }],
  unrescue: [38, 'rescue'],
  deploy: [73, 'available'],
  undeploy: [73, 'active'],
  unhold: [85, 'clean hold'],
  service: [87, 'active', { service_steps: [{ interface: 'deploy', step: 'erase_devices' }] }],
};

/** abort is newer in some states. */
export const abortSince: { readonly [state: string]: number } = { 'inspect wait': 41, 'wait call-back': 110 };

const deployStep = { interface: 'deploy', step: 'x', args: {}, priority: 90 };

/** Keys of bodies that are newer than their request: what is answered one version before. */
export const bodiesSince: readonly {
  readonly what: string;
  readonly since: number;
  readonly before: number;
  readonly line: string;
  readonly from?: string;
  readonly body: object;
}[] = [
  {
    what: 'configdrive on rebuild',
    since: 35,
    before: 400,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'active',
    body: { target: 'rebuild', configdrive: 'http://127.0.0.1/drive' },
  },
  {
    what: 'a configdrive in JSON',
    since: 56,
    before: 400,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'available',
    body: { target: 'active', configdrive: { meta_data: {} } },
  },
  {
    what: 'vendor_data in a configdrive',
    since: 59,
    before: 400,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'available',
    body: { target: 'active', configdrive: { vendor_data: {} } },
  },
  {
    what: 'deploy_steps',
    since: 69,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'available',
    body: { target: 'active', deploy_steps: [deployStep] },
  },
  {
    what: 'disable_ramdisk of clean',
    since: 70,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'manageable',
    body: { target: 'clean', clean_steps: [{ interface: 'deploy', step: 'x' }], disable_ramdisk: true },
  },
  {
    what: 'runbook of clean',
    since: 92,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'manageable',
    body: { target: 'clean', runbook: 'CUSTOM_BOOK' },
  },
  {
    what: 'disable_ramdisk of service',
    since: 108,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/provision',
    from: 'active',
    body: { target: 'service', service_steps: [{ interface: 'deploy', step: 'x' }], disable_ramdisk: true },
  },
  {
    what: 'soft power off',
    since: 27,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/power',
    body: { target: 'soft power off' },
  },
  {
    what: 'soft rebooting',
    since: 27,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/power',
    body: { target: 'soft rebooting' },
  },
  {
    what: 'timeout',
    since: 27,
    before: 406,
    line: 'PUT /v1/nodes/n1/states/power',
    body: { target: 'power on', timeout: 60 },
  },
  {
    what: 'port_uuid of a vif',
    since: 67,
    before: 406,
    line: 'POST /v1/nodes/n1/vifs',
    body: { id: 'v', port_uuid: '99999999-9999-4999-8999-999999999999' },
  },
  {
    what: 'node of an allocation',
    since: 58,
    before: 400,
    line: 'POST /v1/allocations',
    from: 'active',
    body: { node: 'n1' },
  },
  {
    what: 'node_ident of a port',
    since: 94,
    before: 406,
    line: 'POST /v1/ports',
    body: { address: '52:54:00:00:00:77', node_ident: 'n1' },
  },
];
