/** A server as Nova shows it as a record of an import (compute-api.md 3), or why it is none. */
import { type Flavor, isCopyOf, type Odd, type Server } from './servers.ts';

/** As `POST /v2.1/imports` takes it. */
export type ServerRecord = { readonly id: string; readonly [name: string]: unknown };

export type Judged =
  | { readonly is: 'server'; readonly record: ServerRecord }
  | { readonly is: 'rejected'; readonly reason: string; readonly detail: string }
  | { readonly is: 'skipped'; readonly reason: string };

/** The flavor that it was made with. One that is told without its id is known by its name and its sizes, or else has its name as id. */
const flavorOf = ({ flavor: own }: Server, flavors: readonly Flavor[]): object | undefined => {
  const found = flavors.filter((one) => (own.id === undefined ? isCopyOf(own, one) : one.id === own.id));
  const [known] = found.length === 1 ? found : [];
  const { id, original_name: name, vcpus, ram, disk, ephemeral = 0, swap = 0, extra_specs } = own;
  if (vcpus !== undefined && ram !== undefined && disk !== undefined && name !== undefined) {
    const specs = extra_specs ?? known?.extra_specs ?? {};
    return { id: id ?? known?.id ?? name, name, vcpus, ram, disk, ephemeral, swap, extra_specs: specs };
  }
  if (!known) return undefined;
  const { 'OS-FLV-EXT-DATA:ephemeral': more, extra_specs: specs = {}, ...sizes } = known;
  return { ...sizes, ephemeral: more, extra_specs: specs };
};

/** Times of Nova's are in UTC, and some of them do not say so. */
const inUtc = (time: string): string => (/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);

const addressesOf = ({ addresses }: Server) =>
  Object.fromEntries(
    Object.entries(addresses).map(([network, all]) => [
      network,
      all.map((one) => ({ ...one, 'OS-EXT-IPS-MAC:mac_addr': one['OS-EXT-IPS-MAC:mac_addr'] ?? '' })),
    ]),
  );

/** Somebody works on it. */
const workOn = ({ 'OS-EXT-STS:task_state': task, status }: Server): string | undefined => {
  if (task !== null) return `task_state is ${task}`;
  return status === 'BUILD' || status === 'REBUILD' ? `status is ${status}` : undefined;
};

const gone = ['DELETED', 'SOFT_DELETED'];

const recordOf = (server: Server, node_uuid: string, flavor: object): ServerRecord => {
  const { id, name, tenant_id, user_id, image, locked } = server;
  const { metadata, accessIPv4, accessIPv6, key_name, security_groups: groups, description, tags } = server;
  const launched = server['OS-SRV-USG:launched_at'];
  return {
    id: id.toLowerCase(),
    name,
    tenant_id,
    user_id,
    flavor,
    node_uuid,
    metadata,
    accessIPv4,
    accessIPv6,
    key_name,
    description,
    tags,
    image: image?.id ?? '',
    created: inUtc(server.created),
    addresses: addressesOf(server),
    locked: locked ?? false,
    config_drive: server.config_drive === null ? null : server.config_drive !== '',
    // A server has one for each of its ports.
    security_groups: groups && [...new Set(groups.map((group) => group.name))].map((one) => ({ name: one })),
    diskConfig: server['OS-DCF:diskConfig'],
    launched_at: launched && inUtc(launched),
    hostname: server['OS-EXT-SRV-ATTR:hostname'],
    user_data: server['OS-EXT-SRV-ATTR:user_data'],
  };
};

/** `nodes`: UUIDs of the machines that are here; a server on another one is a virtual machine, or was not moved. */
export const judgeServer = (server: Server | Odd, flavors: readonly Flavor[], nodes: ReadonlySet<string>): Judged => {
  const on = server['OS-EXT-SRV-ATTR:hypervisor_hostname']?.toLowerCase();
  if ('flaw' in server) {
    if (on !== undefined && !nodes.has(on)) return { is: 'skipped', reason: 'node-not-here' };
    return { is: 'rejected', reason: 'unreadable', detail: `it is ${server.flaw}` };
  }
  if (gone.includes(server.status ?? '')) return { is: 'skipped', reason: 'deleted' };
  if (on === undefined) {
    const detail = 'OS-EXT-SRV-ATTR:hypervisor_hostname is not told: have an administrator list the servers';
    return { is: 'rejected', reason: 'unknown-node', detail };
  }
  if (!nodes.has(on)) return { is: 'skipped', reason: 'node-not-here' };
  const work = workOn(server);
  if (work !== undefined) {
    return { is: 'rejected', reason: 'in-progress', detail: `${work}; let it end before migrating` };
  }
  const flavor = flavorOf(server, flavors);
  if (flavor) return { is: 'server', record: recordOf(server, on, flavor) };
  const detail = `the sizes of flavor ${server.flavor.id ?? 'NULL'} are not told: give the list of flavors as well`;
  return { is: 'rejected', reason: 'unknown-flavor', detail };
};
