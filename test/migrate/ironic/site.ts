/** An Ironic to move from, played by an API of ours at any microversion, and where it is moved to. */
import { gzipSync } from 'node:zlib';

import { type Ironic, openIronic } from '../../../migrate/ironic/api.ts';
import { besideOfApi } from '../../../migrate/ironic/beside.ts';
import type { Entry, Reading, Rejected } from '../../../migrate/ironic/entry.ts';
import { foresee, move } from '../../../migrate/ironic/move.ts';
import { noSecrets } from '../../../migrate/ironic/secrets.ts';
import { secretsOfFile } from '../../../migrate/ironic/secrets-file.ts';
import type { Reply, Service } from '../../../migrate/service.ts';
import { createTarget, type Target } from '../../../migrate/target.ts';
import { createFront } from '../../functions/baremetal-api/front.ts';

type Front = ReturnType<typeof createFront>;
type Values = Record<string, unknown>;

const id = (kind: number, one: number) => `${kind}0000000-0000-4000-8000-00000000000${one}`;

export const [first, second, third] = [id(1, 1), id(1, 2), id(1, 3)] as [string, string, string];
export const configdrive = gzipSync('an image').toString('base64');
const times = { created_at: '2024-06-01T08:00:01.000001+00:00', updated_at: '2024-09-10T11:22:33+00:00' };

/** One of each kind. Passwords of it are canaries. */
export const samples: readonly { readonly kind: string; readonly record: Values }[] = [
  { kind: 'chassis', record: { uuid: id(2, 1), description: 'rack 7', ...times } },
  {
    kind: 'deploy_template',
    record: {
      uuid: id(3, 1),
      name: 'CUSTOM_RAID',
      steps: [{ interface: 'raid', step: 'create', args: { token: 'canary-step' }, priority: 95 }],
      ...times,
    },
  },
  {
    kind: 'runbook',
    record: {
      uuid: id(4, 1),
      name: 'weekly',
      steps: [{ interface: 'bios', step: 'factory_reset', args: {}, order: 1 }],
      traits: ['CUSTOM_OLD'],
      ...times,
    },
  },
  {
    kind: 'inspection_rule',
    record: {
      uuid: id(5, 1),
      sensitive: true,
      actions: [{ op: 'set-attribute', args: { path: '/extra/a', value: 'canary-rule' } }],
      ...times,
    },
  },
  {
    kind: 'node',
    record: {
      uuid: first,
      name: 'web-1',
      driver: 'redfish',
      driver_info: { redfish_address: 'https://10.0.0.1', redfish_password: 'canary-1' },
      instance_uuid: id(9, 1),
      instance_info: { display_name: 'web', configdrive },
      provision_state: 'active',
      power_state: 'power on',
      provision_updated_at: '2024-06-01T09:00:00+00:00',
      chassis_uuid: id(2, 1),
      allocation_uuid: id(9, 1),
      resource_class: 'gold',
      traits: ['CUSTOM_GOLD'],
      owner: 'red',
      lessee: 'blue',
      ...times,
    },
  },
  {
    kind: 'node',
    record: {
      uuid: second,
      name: 'kept',
      driver: 'ipmi',
      driver_info: { ipmi_password: 'canary-2' },
      provision_state: 'available',
      maintenance: true,
      maintenance_reason: 'the fan is loud',
      ...times,
    },
  },
  {
    kind: 'node',
    record: { uuid: third, driver: 'fake-hardware', provision_state: 'manageable', parent_node: first, ...times },
  },
  { kind: 'portgroup', record: { uuid: id(6, 1), node_uuid: first, name: 'bond0', ...times } },
  {
    kind: 'port',
    record: {
      uuid: id(7, 1),
      node_uuid: first,
      portgroup_uuid: id(6, 1),
      address: '52:54:00:aa:00:01',
      internal_info: { tenant_vif_port_id: id(9, 7) },
      ...times,
    },
  },
  {
    kind: 'volume_connector',
    record: { uuid: id(8, 1), node_uuid: first, type: 'iqn', connector_id: 'iqn.1', ...times },
  },
  {
    kind: 'volume_target',
    record: {
      uuid: id(8, 2),
      node_uuid: first,
      volume_type: 'iscsi',
      boot_index: 0,
      volume_id: 'v-1',
      properties: { auth_password: 'canary-3' },
      ...times,
    },
  },
  {
    kind: 'allocation',
    record: { uuid: id(9, 1), name: 'mine', node_uuid: first, state: 'active', resource_class: 'gold', ...times },
  },
  {
    kind: 'history',
    record: {
      node_uuid: first,
      uuid: id(9, 2),
      created_at: '2024-06-02T10:00:00+00:00',
      severity: 'ERROR',
      event_type: 'deploying',
      event: 'Timeout reached',
    },
  },
  { kind: 'inventory', record: { node_uuid: first, inventory: { cpu: { count: 8 } }, plugin_data: {} } },
];

/** What the operator knows. */
const known = {
  node: {
    [first]: { driver_info: { redfish_password: 'canary-1' }, instance_info: { configdrive } },
    [second]: { driver_info: { ipmi_password: 'canary-2' } },
  },
  deploy_template: { [id(3, 1)]: { steps: { 0: { args: { token: 'canary-step' } } } } },
  inspection_rule: {
    [id(5, 1)]: { actions: [{ op: 'set-attribute', args: { path: '/extra/a', value: 'canary-rule' } }] },
  },
  volume_target: { [id(8, 2)]: { properties: { auth_password: 'canary-3' } } },
};
export const secretsText = JSON.stringify(known);

/** An API as a client has it; `newest` is as far as it speaks. */
const serviceOf =
  (front: Front, newest = 115): Service =>
  async (method, path, { headers, body } = {}): Promise<Reply> => {
    const version = headers?.['X-OpenStack-Ironic-API-Version'] ?? null;
    const reply = await front.request(`${method} ${path}`, { version, ...(body !== undefined && { body }) });
    if (path !== '/v1') return reply;
    return { status: 200, body: { version: { version: `1.${newest}`, min_version: '1.1' } } };
  };

/** Fills an API with records, as what is moved. */
export const fill = async (front: Front, records: readonly object[] = samples): Promise<void> => {
  if (records.length === 0) return;
  const { status, body } = await front.request('POST /v1/imports', { body: { records } });
  const wrong = (body.results as Values[]).find(({ outcome }) => outcome !== 'created');
  if (status !== 200 || wrong) throw new Error(JSON.stringify(wrong ?? body));
};

export type Site = Awaited<ReturnType<typeof createSite>>;

/** `asked` holds each request to the source. */
export const createSite = async (records: readonly object[] = samples, newest?: number) => {
  const there = createFront();
  let here = createFront();
  await fill(there, records);
  const asked: string[] = [];
  /** A test may stand in between. */
  const between: { source: Service; target: Service } = { source: serviceOf(there, newest), target: serviceOf(here) };
  const sleep = async () => undefined;
  const source: Service = async (method, path, asking) => {
    asked.push(`${method} ${path}`);
    return between.source(method, path, asking);
  };
  const target = createTarget(async (...all) => between.target(...all), sleep);
  const open = async (): Promise<Ironic> => openIronic(source, sleep);
  const reading = async (more: Partial<Reading> = {}): Promise<Reading> => ({
    ironic: await open(),
    secrets: secretsOfFile(secretsText),
    replacements: [],
    running: true,
    beside: besideOfApi(await open()),
    sleep,
    ...more,
  });
  const gather = async (pages: AsyncIterable<readonly Entry[]>): Promise<Entry[]> => {
    const all: Entry[] = [];
    for await (const page of pages) all.push(...page);
    return all;
  };
  return {
    there,
    get here() {
      return here;
    },
    /** Where it is moved to, as if nothing had come. */
    empty: () => {
      here = createFront();
      between.target = serviceOf(here);
      asked.length = 0;
    },
    asked,
    between,
    open,
    openHere: async () => openIronic(serviceOf(here), sleep),
    look: async (more: Partial<Reading> = {}, to: Target | undefined = target) =>
      gather(foresee(await reading(more), to, new Map())),
    /** As the command does it. */
    move: async (more: Partial<Reading> = {}) => {
      const rejected: Rejected = new Map();
      await gather(foresee(await reading(more), target, rejected));
      return gather(move(await reading(more), { target, here: 'https://ingot.example', rejected }));
    },
    show: async (front: Front, path: string) => (await front.request(`GET /v1/${path}`)).body,
  };
};

export { noSecrets };

/** What was told of each, in short. */
export const summed = (entries: readonly Entry[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { is } of entries) counts[is] = (counts[is] ?? 0) + 1;
  return counts;
};

export const refusals = (entries: readonly Entry[]): (readonly string[])[] =>
  entries.flatMap(({ kind, name, uuid, refusal }) =>
    refusal ? [[kind, name ?? uuid, refusal.reason, refusal.detail] as const] : [],
  );
