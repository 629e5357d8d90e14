/**
 * What the system is made of. CDK (`infra/`) and the one-machine runner (`local/`) both read this and nothing else;
 * a test compares it with the synthesised template.
 */
import { prefixes } from '../layers/domain/apis.ts';
import { bootImagesPrefix } from '../layers/domain/boot-image.ts';
import { carried, type EventType, watched } from '../layers/domain/events.ts';
import { ramdisk } from '../layers/domain/baremetal/ramdisk.ts';
import type { Protocol } from '../layers/http/protocol.ts';
import { glance } from '../layers/http/protocols/glance.ts';
import { ironic } from '../layers/http/protocols/ironic.ts';
import { neutron } from '../layers/http/protocols/neutron.ts';
import { nova } from '../layers/http/protocols/nova.ts';
import type { Method } from '../layers/http/route.ts';
import { type OwnerName, workflows as rows, type WorkflowName } from '../workflows/index.ts';
import type { Grant, TableName } from './grants.ts';

export type FunctionRow = {
  /** MB; Lambda gives CPU in proportion. */
  readonly memory: number;
  /** Seconds; API Gateway gives up after 29, Lambda after 900. */
  readonly timeout: number;
  readonly grants: readonly Grant[];
  /** Only one function stands in the hardware network. */
  readonly network?: 'hardware';
  readonly doc: string;
};

export const functions = {
  'baremetal-api': {
    memory: 1024,
    timeout: 29,
    grants: ['table', 'objects', 'objects:guests', 'workflows:start', 'seal', 'invoke:workflow'],
    doc: 'The Bare Metal API (/v1).',
  },
  'ramdisk-api': {
    memory: 512,
    timeout: 29,
    grants: ['table:agents', 'objects:inventories', 'workflows:callback', 'seal'],
    doc: 'Lookup, heartbeat and inventories of deploy agents; unauthenticated, therefore a function and a throttle of its own.',
  },
  'compute-api': {
    memory: 512,
    timeout: 29,
    grants: ['tenants', 'workflows:servers', 'seal:tenants', 'apis:baremetal'],
    doc: 'The Compute API (/v2.1), for tenants.',
  },
  'image-api': {
    memory: 1024,
    timeout: 29,
    grants: ['tenants', 'objects:images'],
    doc: 'The Image API (/v2), for tenants.',
  },
  'network-api': {
    memory: 512,
    timeout: 29,
    grants: ['tenants', 'workflows:servers'],
    doc: 'The Network API (/v2.0), for tenants; has nodes told of addresses that it changes.',
  },
  authorizer: { memory: 512, timeout: 10, grants: ['parameters'], doc: 'Who is calling; answers API Gateway.' },
  workflow: {
    memory: 512,
    timeout: 120,
    grants: [
      'table',
      'objects',
      'objects:agents',
      'objects:guests',
      'workflows:start',
      'workflows:callback',
      'seal',
      'apis:image',
      'invoke:image-api',
      'invoke:bmc-proxy',
      'invoke:boot-image',
    ],
    doc: 'Runs one phase of a workflow, or one request to hardware that a client waits for.',
  },
  'bmc-proxy': {
    memory: 512,
    timeout: 120,
    grants: ['table', 'open', 'seal'],
    network: 'hardware',
    doc: 'Talks Redfish to BMCs and the command API of deploy agents.',
  },
  'boot-image': {
    memory: 512,
    timeout: 120,
    grants: ['objects:boots'],
    doc: 'Builds the images that machines boot of kernel, ramdisk and boot loader, and makes links to them.',
  },
  sync: {
    memory: 512,
    timeout: 300,
    grants: ['table', 'objects:sweep', 'objects:guests', 'workflows:start'],
    doc: 'Finds nodes whose execution is gone and resumes or fails them; writes guest documents that could not be written; sweeps objects that no node refers to; after an update brings the table into its new form.',
  },
  'power-sync': {
    memory: 512,
    timeout: 300,
    grants: ['table', 'workflows:start', 'invoke:bmc-proxy'],
    doc: 'Looks whether machines are as their nodes say, on or off, and puts right what differs; takes out of service those whose BMC does not answer, and back.',
  },
  events: {
    memory: 256,
    timeout: 60,
    grants: ['publish'],
    doc: 'Follows the changes of nodes and publishes events of them.',
  },
  'server-workflow': {
    memory: 512,
    timeout: 120,
    grants: ['tenants', 'apis:baremetal', 'workflows:servers', 'workflows:servers:callback', 'open:tenants'],
    doc: 'Runs one phase of a run of a server, and takes what becomes of nodes.',
  },
  'server-sync': {
    memory: 512,
    timeout: 300,
    grants: ['tenants', 'objects:images:sweep', 'workflows:servers'],
    doc: 'Finds servers whose execution is gone and resumes or fails them; tells nodes of addresses that have changed; ends deletions of images; sweeps data that no image refers to.',
  },
} as const satisfies Record<string, FunctionRow>;

export type FunctionName = keyof typeof functions;

/** `at`: a method and a path; ANY is each that its path has no row for, `{proxy+}` stands for the rest of a path. */
export type RouteRow = {
  readonly at: `${'ANY' | Method} /${string}`;
  readonly function: FunctionName;
  /** Whether the authorizer is asked who calls. */
  readonly authorize: boolean;
  /** Callers prove nothing: it is for those in the networks of this setting, and has a throttle of its own. */
  readonly networks?: 'agent_networks';
};

export type ApiRow = {
  readonly doc: string;
  /** On one machine: below this path, which links carry; absent: at the root. */
  readonly prefix?: string;
  /** On one machine: at a port of its own, instead of that of the others. */
  readonly port?: number;
  /** On AWS each API is one of API Gateway's, and this is its stage. */
  readonly stage: string;
  readonly protocol: Protocol;
  /** What callers are told to prove themselves for (the realm of WWW-Authenticate); null: nobody is asked. */
  readonly challenge: string | null;
  /** The most specific path wins: a literal before a parameter, a parameter before the rest. */
  readonly routes: readonly RouteRow[];
};

/** Public, and for agent_networks only. Settings of API Gateway are said to miss requests of ANY, so methods are named. */
const agents = { function: 'ramdisk-api', authorize: false, networks: 'agent_networks' } as const;

/**
 * The APIs. The first keeps the names that it was given in the template when it was the only one (`infra/api.ts`): others
 * go below it.
 */
export const apis = {
  baremetal: {
    doc: 'OpenStack Bare Metal API v1',
    // Not v1: clients cut a trailing /v1 off the endpoint they are given (ironic-clients.md 2).
    stage: 'api',
    protocol: ironic,
    challenge: 'Baremetal API',
    routes: [
      { at: 'ANY /', function: 'baremetal-api', authorize: false },
      { at: 'ANY /v1', function: 'baremetal-api', authorize: false },
      ...Object.values(ramdisk).map(({ at }) => ({ at, ...agents })),
      { at: 'ANY /v1/{proxy+}', function: 'baremetal-api', authorize: true },
      // Ironic serves its paths without /v1 too ("bookmark" links).
      { at: 'ANY /{proxy+}', function: 'baremetal-api', authorize: true },
    ],
  },
  compute: {
    doc: 'OpenStack Compute API v2.1',
    prefix: prefixes.compute,
    stage: 'compute',
    protocol: nova,
    challenge: 'Compute API',
    routes: [
      { at: 'ANY /', function: 'compute-api', authorize: false },
      { at: 'ANY /v2.1', function: 'compute-api', authorize: false },
      { at: 'ANY /v2.1/{proxy+}', function: 'compute-api', authorize: true },
    ],
  },
  image: {
    doc: 'OpenStack Image API v2',
    prefix: prefixes.image,
    stage: 'image',
    protocol: glance,
    challenge: 'Image API',
    routes: [
      { at: 'ANY /', function: 'image-api', authorize: false },
      { at: 'ANY /versions', function: 'image-api', authorize: false },
      { at: 'ANY /v2', function: 'image-api', authorize: false },
      { at: 'ANY /v2/{proxy+}', function: 'image-api', authorize: true },
    ],
  },
  network: {
    doc: 'OpenStack Networking API v2.0',
    prefix: prefixes.network,
    stage: 'network',
    protocol: neutron,
    challenge: 'Network API',
    routes: [
      { at: 'ANY /', function: 'network-api', authorize: false },
      { at: 'ANY /v2.0', function: 'network-api', authorize: false },
      { at: 'ANY /v2.0/{proxy+}', function: 'network-api', authorize: true },
    ],
  },
} as const satisfies Record<string, ApiRow>;

export type ApiName = keyof typeof apis;

/** Which function runs the phases of whose workflows. In the ASL files its name stands as `${name}`, with _ for -. */
const runners = { node: 'workflow', allocation: 'workflow', server: 'server-workflow' } as const satisfies {
  readonly [O in OwnerName]: FunctionName;
};

/** Which function looks after whose runs: at its start, by a schedule, and when an execution ends badly. */
const keepers = { node: 'sync', allocation: 'sync', server: 'server-sync' } as const satisfies {
  readonly [O in OwnerName]: FunctionName;
};

/** `owner`: whose runs they are. */
export type WorkflowRow = {
  readonly doc: string;
  readonly owner: OwnerName;
  readonly runner: FunctionName;
  readonly keeper: FunctionName;
};

const workflowOf = ([name, { doc, owner }]: [string, (typeof rows)[WorkflowName]]): [string, WorkflowRow] => [
  name,
  { doc, owner, runner: runners[owner], keeper: keepers[owner] },
];

/** The state machines: those of `workflows/`, each with its row there. */
export const workflows = Object.fromEntries(Object.entries(rows).map(workflowOf)) as {
  readonly [W in WorkflowName]: WorkflowRow;
};

/** The functions that look after runs. */
export const keeperNames: readonly FunctionName[] = [...new Set(Object.values(keepers))];

/**
 * What both the ASL files (as `${name}` substitutions) and the functions (as environment variables, upper case with
 * INGOT_) know; timeouts are in seconds. Defaults stand here and nowhere else.
 */
export const settings = {
  deploy_callback_timeout: {
    default: '1800',
    doc: 'How long a deploy waits for a heartbeat; for the first one twice.',
  },
  clean_callback_timeout: { default: '1800', doc: 'How long cleaning waits for a heartbeat; for the first one twice.' },
  baremetal_for_projects: {
    default: 'true',
    doc: 'oidc, keystone: whether callers of projects may use the Bare Metal API, for nodes that they own or lease; users of users_file never.',
  },
  project_admin_can_manage_own_nodes: {
    default: 'true',
    doc: 'Whether admins of projects may enrol nodes, which their project then owns, and delete those.',
  },
  inspect_callback_timeout: {
    default: '1800',
    doc: 'How long an inspection waits for the inventory of the agent, twice.',
  },
  rescue_callback_timeout: { default: '1800', doc: 'How long a rescue waits for the first heartbeat, twice.' },
  service_callback_timeout: {
    default: '1800',
    doc: 'How long a service waits for a heartbeat; for the first one twice.',
  },
  server_look_again: {
    default: '300',
    doc: 'How long a run of a server waits for an event of its node before it looks at the node itself.',
  },
  server_shutdown_timeout: {
    default: '60',
    doc: 'How long a guest has to shut down, or to restart, before its machine is switched off.',
  },
  scheduler_strategy: {
    default: 'spread',
    doc: 'Which of the nodes that fit a server gets: spread (by chance) or tightest (the smallest).',
  },
  exact_match_filters: {
    default: 'false',
    doc: 'Whether a flavor without a resource class means nodes of exactly its size; else those that are large enough.',
  },
  default_ephemeral_format: {
    default: '',
    doc: 'File system of the ephemeral disk of servers, such as ext4; empty: that which the agent chooses.',
  },
  instance_info_leave_out: {
    default: '',
    doc: 'What a node is not told of its server: keys of instance_info, with commas, of those that no deploy needs, such as user_name,project_name.',
  },
  automated_clean: { default: 'true', doc: 'Whether nodes are cleaned before they become available.' },
  automatic_lessee: {
    default: 'true',
    doc: 'Whether a deploy may make a project the lessee of the node; automatic_lessee_source says which one.',
  },
  automatic_lessee_source: {
    default: 'none',
    doc: 'none, instance (project_id in instance_info) or request (the project of who asks for active).',
  },
  erase_devices_priority: { default: '10', doc: 'Priority of the clean step erase_devices; 0 turns it off.' },
  erase_devices_metadata_priority: { default: '99', doc: 'Priority of erase_devices_metadata; 0 turns it off.' },
  bmc_networks: {
    default: '',
    doc: 'Networks (CIDR, comma separated) in which BMCs and agents may be; empty: private addresses only.',
  },
  bmc_require_tls: {
    default: 'true',
    doc: 'Whether BMCs must be called over https; false: also at http addresses, whose passwords anybody in their network can read. On AWS list their ports in bmc_ports.',
  },
  image_networks: {
    default: '',
    doc: 'Networks (CIDR, comma separated) besides public addresses in which the data of images may be; administrators may use private addresses too. Names are resolved by the agents.',
  },
  images_per_project: {
    default: '100',
    doc: 'How many images a project may have, in whatever state; 0: any number. Administrators may make more.',
  },
  boot_image_networks: {
    default: '',
    doc: 'Networks (CIDR, comma separated) besides public addresses in which kernels, ramdisks and boot loaders may be, of which boot images are built; empty: private addresses.',
  },
  deploy_kernel: {
    default: '',
    doc: 'URL of the kernel of the deploy agent, or UUID of an image of the Image API, for nodes whose driver_info names neither deploy_iso nor a kernel.',
  },
  deploy_ramdisk: { default: '', doc: 'The ramdisk that belongs to deploy_kernel.' },
  rescue_kernel: { default: '', doc: 'The same for rescues; empty: deploy_kernel.' },
  rescue_ramdisk: { default: '', doc: 'The ramdisk that belongs to rescue_kernel.' },
  bootloader: {
    default: '',
    doc: 'URL of the image of an EFI system partition with a boot loader, or UUID of an image of the Image API, for nodes whose driver_info names none. Boot images are built with it.',
  },
  kernel_append_params: {
    default: 'nofb vga=normal',
    doc: 'Arguments of kernels in boot images that are built, besides those for the agent; %default% in a driver_info means these.',
  },
  agent_networks: {
    default: '',
    doc: 'Networks (CIDR, comma separated) from which deploy agents may call: lookup, heartbeat, inventories; empty: private addresses only.',
  },
  agent_endpoint: {
    default: '',
    doc: 'Base URL at which deploy agents reach this API, written on their medium; empty: public_endpoint, on AWS else the address of the API itself.',
  },
  ramdisk_heartbeat_timeout: {
    default: '300',
    doc: 'Seconds (10 to 1800) that deploy agents are told: they heartbeat every 0.3 to 0.6 of it. Less ends long steps sooner and asks more often.',
  },
  agent_require_tls: { default: 'true', doc: 'Whether deploy agents must be called over https.' },
  maintenance_retry_after: {
    default: '',
    doc: 'Seconds after which clients that would change something are told to try again (503), while what there is can be read, and who may import moves in; empty: no maintenance. Let what is in progress end first.',
  },
  node_locked_wait: {
    default: '3',
    doc: 'How long a request waits for a node that somebody else works on before it is refused (409), up to 5.',
  },
  sync_power_state_interval: {
    default: '1800',
    doc: 'Seconds between two looks at the power of all machines, on AWS whole minutes; 0: never. 120 on one machine.',
  },
  force_power_state_during_sync: {
    default: 'false',
    doc: 'What is done with a machine that is found on or off and was not switched here: false: its node says so from then on; true: it is switched back.',
  },
  power_state_sync_max_retries: {
    default: '3',
    doc: 'How often in a row that may fail before the node is put into maintenance with fault "power failure".',
  },
  site: { default: 'ingot', doc: 'Hostname of the one BMC-proxy site, shown as the conductor.' },
  public_endpoint: { default: '', doc: 'Base URL in links; empty: what the client called.' },
  auth_strategy: { default: 'http_basic', doc: 'noauth (one machine only), http_basic, oidc or keystone.' },
  oidc_issuer: { default: '', doc: 'oidc: URL of the provider, exactly as its tokens name it.' },
  oidc_audience: { default: '', doc: 'oidc: the audience that tokens for this API name.' },
  oidc_jwks_uri: { default: '', doc: 'oidc: URL of the keys of the provider; empty: its discovery page names it.' },
  oidc_user_claim: { default: 'sub', doc: 'oidc: claim that names the user in the history.' },
  oidc_user_name_claim: { default: 'preferred_username', doc: 'oidc: claim with the name of the user, for people.' },
  oidc_project_claim: { default: 'project_id', doc: 'oidc: claim with the project; dots lead into objects.' },
  oidc_project_name_claim: { default: 'project_name', doc: 'oidc: claim with the name of the project, for people.' },
  oidc_roles_claim: { default: 'roles', doc: 'oidc: claim with the roles (admin, manager, member, reader, service).' },
  oidc_system_claim: { default: 'system_scope', doc: 'oidc: claim that is true (or all) for tokens of system scope.' },
  keystone_auth_url: { default: '', doc: 'keystone: URL of the Identity v3 endpoint.' },
  keystone_credentials: {
    default: '',
    doc: 'keystone: SSM parameter (on one machine: file) with the service account that validates tokens.',
  },
  keystone_service_project: {
    default: '',
    doc: 'keystone: project in which role service counts as a member of the whole system; empty: none.',
  },
  keystone_service_project_domain: {
    default: 'Default',
    doc: 'keystone: name of the domain which that project is in.',
  },
  baremetal_endpoint: {
    default: '',
    doc: "Base URL of the Bare Metal API at which tenants' servers are made; empty: this installation's own.",
  },
  baremetal_credentials: {
    default: '',
    doc: 'SSM parameter (on one machine: file) with what is proved there, as JSON: username and password, or token.',
  },
  image_endpoint: {
    default: '',
    doc: "Base URL of an external Glance (v2) that has the images which deploys name by UUID; empty: this installation's own, which needs no credentials.",
  },
  image_credentials: { default: '', doc: 'SSM parameter (on one machine: file) with what is proved there, likewise.' },
  bmc_connect_timeout_ms: { default: '10000', doc: 'How long a BMC may take to accept a connection, TLS included.' },
  bmc_read_timeout_ms: { default: '60000', doc: 'How long a BMC may be silent before it answers; some need a minute.' },
  poll_interval_ms: { default: '1000', doc: 'How often the proxy looks whether a BMC has done what it was asked.' },
} as const satisfies Record<string, { default: string; doc: string }>;

export type SettingName = keyof typeof settings;

/** A function that is called again and again; `every`: the setting with the seconds in between, 0: never. */
export type ScheduleRow = { readonly function: FunctionName; readonly every: SettingName };

/** Besides those who look after runs. */
export const schedules: readonly ScheduleRow[] = [{ function: 'power-sync', every: 'sync_power_state_interval' }];

/** `construct`: its id in the template, which may not change; `file`: on one machine, in the state directory. */
export type TableRow = { readonly construct: string; readonly file: string; readonly doc: string };

/** Machines and tenants stand apart: no function reads both. */
export const tables = {
  machines: { construct: 'Table', file: 'table.db', doc: 'Machines, and all that belongs to them.' },
  tenants: { construct: 'TenantsTable', file: 'tenants.db', doc: 'What tenants have: servers, images, networks.' },
} as const satisfies Record<TableName, TableRow>;

/** Something of each table. */
export const perTable = <T>(make: (row: TableRow, name: TableName) => T): Readonly<Record<TableName, T>> =>
  Object.fromEntries(Object.entries(tables).map(([name, row]) => [name, make(row, name as TableName)])) as Record<
    TableName,
    T
  >;

/** How each table is made. */
export const layout = { partition: 'pk', sort: 'sk', ttl: 'expires_at' };

/**
 * Which changes are followed, and by whom: those of the items of a table with this sort key. One machine keeps of them
 * what is `carried` only, and of those only in which something `watched` changed; DynamoDB Streams keep them whole, for a
 * day.
 */
export const feed = { table: 'machines', sort: 'node', watched, carried, function: 'events' } as const satisfies {
  readonly table: TableName;
  readonly function: FunctionName;
  readonly [column: string]: unknown;
};

/** Events of these types are handed to a function, one at a time, as EventBridge hands them over (docs/events.md). */
export type SubscriptionRow = { readonly function: FunctionName; readonly types: readonly EventType[] };

/** Functions that wait for events, a row each. */
export const subscriptions: readonly SubscriptionRow[] = [
  {
    function: 'server-workflow',
    types: ['node.provision_state', 'node.power_state', 'node.instance', 'node.delete'],
  },
];

/**
 * Prefixes of the one bucket. A configdrive lives as long as its deployment (rebuild uses it again), so nothing
 * expires it; undeploy removes it, and sync those that no node refers to. Of inventories the large ones are here. Media
 * of agents hold their tokens: only who makes and who sweeps them may touch them. Images are the Image API's own: others
 * get links to them from it. Guest documents are for operators, who read them with rights to the store alone.
 */
export const objectPrefixes = {
  configdrives: 'configdrives/',
  inventories: 'inventories/',
  agents: 'agents/',
  images: 'images/',
  guests: 'guest-metadata/',
  boots: bootImagesPrefix,
} as const;
