/** How servers are shown (compute-api.md 3), at each microversion, to tenants and to administrators. */
import { createHash } from 'node:crypto';

import { addressesOf } from '../../../layers/domain/compute/server-addresses.ts';
import { flavorInside, hostAttributes, server as rows } from '../../../layers/domain/compute/server.ts';
import { statusOf } from '../../../layers/domain/compute/server-states.ts';
import { microTime, secondTime } from '../../../layers/domain/compute/times.ts';
import { allows } from '../../../layers/domain/policy.ts';
import { projector, type Shown, type Viewer, type Want } from '../../../layers/domain/projection.ts';
import type { Table } from '../../../layers/platform/table.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { withUserData } from '../../../layers/store/servers.ts';
import { bookmarkOf, linksTo } from '../links.ts';

const shape = { name: 'Server', rows, also: hostAttributes } as const;

/** Servers in the documents. */
export const serverShape = { one: { ...shape, under: 'server' }, list: { ...shape, list: 'servers' } } as const;

const flavorOf = ({ flavor }: StoredServer, { version, base }: Viewer) => {
  const { id, name, vcpus, ram, disk, ephemeral, swap, extra_specs } = flavor;
  if (version < flavorInside) return { id, links: [bookmarkOf(base, 'flavors', id)] };
  return { original_name: name, vcpus, ram, disk, ephemeral, swap, extra_specs };
};

/** Two servers of a project share it if they are on one machine; it tells no more than that. */
const hostIdOf = ({ tenant_id: project, node_uuid: node }: StoredServer): string =>
  node === null
    ? ''
    : createHash('sha224')
        .update(project + node)
        .digest('hex');

const seesHosts = (viewer: Viewer): boolean => allows('os_compute_api:os-extended-server-attributes', viewer.subject);

const faultOf = ({ fault, vm_state: state }: StoredServer, viewer: Viewer) => {
  if (fault === null || (state !== 'error' && state !== 'deleted')) return undefined;
  const { details, created, ...told } = fault;
  return { ...told, created: secondTime(created), ...(details !== undefined && seesHosts(viewer) && { details }) };
};

/** What Nova calls it on a host; it has no meaning to anybody. */
export const instanceNameOf = ({ uuid }: Pick<StoredServer, 'uuid'>): string => `instance-${uuid.slice(0, 8)}`;

const timeOr = (time: string | null): string | null => time && microTime(time);

const shown: Shown<StoredServer> = {
  id: ({ uuid }) => uuid,
  status: statusOf,
  created: ({ created_at: time }) => secondTime(time),
  updated: ({ created_at, updated_at = created_at }) => secondTime(updated_at),
  hostId: hostIdOf,
  addresses: addressesOf,
  image: ({ image }, { base }) => ({ id: image, links: [bookmarkOf(base, 'images', image)] }),
  flavor: flavorOf,
  config_drive: ({ config_drive: wanted }) => (wanted ? 'True' : ''),
  progress: ({ task_state: task }) => (task === null ? 100 : 0),
  launched_at: ({ launched_at: time }) => timeOr(time),
  terminated_at: ({ terminated_at: time }) => timeOr(time),
  volumes_attached: () => [],
  fault: faultOf,
  locked: ({ locked_by: by }) => by !== null,
  instance_name: instanceNameOf,
  hypervisor_hostname: ({ node_uuid: node }) => node,
  kernel_id: () => '',
  ramdisk_id: () => '',
  root_device_name: () => null,
  host_status: ({ node_uuid: node }) => (node === null ? '' : 'UP'),
};

/** Statuses in which a client may ask how far something is. */
const withProgress: readonly string[] = ['ACTIVE', 'BUILD', 'REBUILD'];

/** The names of what only some servers have, in the states in which they do. */
const absent = (server: StoredServer, viewer: Viewer): string[] => [
  ...(withProgress.includes(statusOf(server)) ? [] : ['progress']),
  ...(faultOf(server, viewer) ? [] : ['fault']),
];

/** What the answer to a change showed until 2.74. */
const brief: Want = Object.entries(rows)
  .filter(([name, row]) => !('extension' in row) || name === 'diskConfig')
  .map(([name]) => name)
  .filter((name) => !['config_drive', 'key_name', 'security_groups'].includes(name));

const whole = 75;

/** What the answer to PUT and to a rebuild shows. */
export const wantAfterChange = ({ version }: Pick<Viewer, 'version'>): Want => (version < whole ? brief : 'all');

/** Makes the function that shows servers. */
const viewOf = (viewer: Viewer, want: Want) => {
  const show = projector<StoredServer>(rows, viewer, want, { shown });
  const showHost = projector<StoredServer>(hostAttributes, viewer, 'all', { shown });
  const seesHost = want === 'all' && seesHosts(viewer);
  return (server: StoredServer): Record<string, unknown> => {
    const view = { ...(seesHost && showHost(server)), ...show(server) };
    if (want !== 'summary') for (const name of absent(server, viewer)) delete view[name];
    return { ...view, links: linksTo(viewer.base, 'servers', server.uuid) };
  };
};

/** Servers as a caller sees them. What is kept apart of them is read if it is shown. */
export const showServers = async (
  table: Table,
  viewer: Viewer,
  want: Want,
  servers: readonly StoredServer[],
): Promise<Record<string, unknown>[]> => {
  const complete = want === 'all' && seesHosts(viewer) ? await withUserData(table, servers) : servers;
  return complete.map(viewOf(viewer, want));
};

/** One server as a caller sees it. */
export const showServer = async (
  table: Table,
  viewer: Viewer,
  server: StoredServer,
  want: Want = 'all',
): Promise<Record<string, unknown>> => (await showServers(table, viewer, want, [server]))[0]!;
