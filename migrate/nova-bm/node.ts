/** A row of bm_nodes as a node of the Bare Metal API, or why it can not be one (nova-bm-migration.md 3 and 3.1). */
import { isUuid } from '../../layers/domain/values.ts';
import { filledFor, type Templates } from './driver-info.ts';
import { type DriverName, drivers } from './drivers.ts';
import { taskStateOf } from './states.ts';
import type { Survey } from './survey.ts';
import type { NodeRow } from './tables.ts';

export type NodeRecord = {
  readonly uuid: string;
  readonly name: null;
  readonly driver: DriverName;
  /** Without what is secret. */
  readonly driver_info: Readonly<Record<string, string | number>>;
  readonly properties: Readonly<Record<string, string | number>>;
  readonly instance_uuid: string | null;
  readonly instance_info: Readonly<Record<string, string>>;
  readonly provision_state: 'available' | 'active' | 'error' | 'deploy failed';
  readonly target_provision_state: null;
  readonly power_state: 'power on' | 'power off';
  readonly target_power_state: null;
  readonly maintenance: false;
  readonly reservation: null;
  readonly chassis_uuid: null;
  readonly last_error: string | null;
  readonly conductor: null;
  readonly takeover_pending: boolean;
  readonly network_interface?: string;
  readonly resource_class?: string;
  readonly extra: {
    readonly nova_bm: { readonly id: number; readonly service_host: string | null; readonly task_state: string | null };
  };
  readonly created_at: string | null;
  readonly updated_at: string | null;
};

/** The parts of driver_info that are sealed; they are in no other place. */
export type Secrets = Readonly<Record<string, string>>;

/** Why a row is rejected, in the order in which it is looked at; each answers what is wrong, if it is. */
const reasons: { readonly [reason: string]: (row: NodeRow, survey: Survey) => string | undefined } = {
  'missing-uuid': ({ uuid }) => (uuid === null ? 'uuid is NULL' : undefined),
  'invalid-uuid': ({ uuid }) => (isUuid(uuid!) ? undefined : `uuid is not a UUID: ${uuid}`),
  'missing-power-address': ({ pm_address }) => (pm_address === null ? 'pm_address is NULL' : undefined),
  'duplicate-instance-uuid': (row, { rivals }) => {
    const others = rivals(row);
    return others.length === 0
      ? undefined
      : `instance ${row.instance_uuid!.toLowerCase()} is also on bm_nodes id ${others.join(', ')}`;
  },
  'in-progress-deployment': ({ task_state }) =>
    taskStateOf(task_state).inProgress ? `task_state is ${task_state}; drain before migrating` : undefined,
  'duplicate-uuid': ({ id, uuid }, { firstWith }) => {
    const first = firstWith(uuid!);
    return first === id ? undefined : `uuid ${uuid!.toLowerCase()} is already that of bm_nodes id ${first}`;
  },
  'invalid-instance-uuid': ({ instance_uuid }) =>
    instance_uuid === null || isUuid(instance_uuid) ? undefined : `instance_uuid is not a UUID: ${instance_uuid}`,
  'unknown-task-state': ({ instance_uuid, task_state }) =>
    instance_uuid === null || taskStateOf(task_state).withInstance
      ? undefined
      : `task_state is ${task_state ?? 'NULL'} though the node has an instance; look at the machine before migrating`,
};

/** The first reason that there is; undefined: the row becomes a node. */
export const refuseNode = (row: NodeRow, survey: Survey): { reason: string; detail: string } | undefined => {
  for (const [reason, check] of Object.entries(reasons)) {
    const detail = check(row, survey);
    if (detail !== undefined) return { reason, detail };
  }
  return undefined;
};

type Values<V> = Readonly<Record<string, V | null>>;

/** Without the keys that have no value. */
const known = <V>(values: Values<V>): Record<string, V> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, V] => entry[1] !== null));

const gigabytes = (mb: number | null): string | null => (mb !== null && mb > 0 ? String(Math.ceil(mb / 1024)) : null);

/** A node without an instance has none: ephemeral_mb stays behind when an instance is deleted. */
const instanceInfoOf = ({ instance_uuid, instance_name, root_mb, swap_mb, ephemeral_mb }: NodeRow) =>
  instance_uuid === null
    ? {}
    : known({
        display_name: instance_name,
        root_gb: gigabytes(root_mb),
        swap_mb: swap_mb !== null && swap_mb > 0 ? String(swap_mb) : null,
        ephemeral_gb: gigabytes(ephemeral_mb),
      });

/** What a nova_bm has no column for; the same for all nodes. Absent: what nodes of the driver have by default. */
export type NodeOptions = {
  readonly driver: DriverName;
  readonly node_arch: string;
  readonly driver_info?: Templates;
  readonly network_interface?: string;
  readonly resource_class?: string;
};

/** `consolePort`: whether the row keeps its terminal_port. */
export const nodeOf = (
  row: NodeRow,
  { driver, node_arch, driver_info = {}, network_interface, resource_class }: NodeOptions,
  consolePort: boolean,
): { record: NodeRecord; secrets: Secrets } => {
  const { id, cpus, memory_mb, local_gb, pm_address, pm_user, pm_password, service_host, task_state } = row;
  const names = drivers[driver];
  const { withInstance, failed } = taskStateOf(task_state);
  const instance_uuid = row.instance_uuid?.toLowerCase() ?? null;
  const provision_state = (instance_uuid !== null && withInstance) || 'available';
  const terminal =
    names.terminal_port === undefined ? {} : { [names.terminal_port]: consolePort ? row.terminal_port : null };
  const record: NodeRecord = {
    uuid: row.uuid!.toLowerCase(),
    name: null,
    driver,
    driver_info: {
      ...known<string | number>({ [names.address]: pm_address, [names.username]: pm_user, ...terminal }),
      ...filledFor(driver_info, row),
    },
    properties: known<string | number>({ cpu_arch: node_arch, cpus, memory_mb, local_gb }),
    instance_uuid,
    instance_info: instanceInfoOf(row),
    provision_state,
    target_provision_state: null,
    power_state: provision_state === 'active' ? 'power on' : 'power off',
    target_power_state: null,
    maintenance: false,
    reservation: null,
    chassis_uuid: null,
    last_error: failed ? `nova baremetal task_state was: ${task_state}` : null,
    conductor: null,
    // As the API fences it: whoever has a machine before may still drive it in whatever state its instance is.
    takeover_pending: instance_uuid !== null,
    extra: { nova_bm: { id, service_host, task_state } },
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(network_interface !== undefined && { network_interface }),
    ...(resource_class !== undefined && { resource_class }),
  };
  return { record, secrets: known({ [names.password]: pm_password }) };
};
