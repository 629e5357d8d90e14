/** What ordinary clients ask of a server besides (compute-api.md 7): most of it a machine does not have. */
import { addressesOf } from '../../../layers/domain/compute/server-addresses.ts';
import type { ComputeRule } from '../../../layers/domain/compute/policy.ts';
import { Fault, NotFound } from '../../../layers/domain/fault.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { route, type Route } from '../route.ts';
import { findServer as find } from './find.ts';

const at = '/v2.1/servers/{server_id}';

const plainAddresses = (server: StoredServer) =>
  Object.fromEntries(
    Object.entries(addressesOf(server)).map(([network, addresses]) => [
      network,
      addresses.map(({ addr, version }) => ({ addr, version })),
    ]),
  );

const NotImplemented = (why: string) => new Fault('NotImplemented', 501, why);

/** A route of what is not possible with a machine. */
const refused = (
  line: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`,
  policy: ComputeRule,
  why: string,
  since = 1,
): Route =>
  route<undefined, StoredServer>({
    at: line,
    since,
    policy,
    doc: `not possible: ${why}`,
    refuses: 501,
    find,
    handle: async () => {
      throw NotImplemented(why);
    },
  });

const noVolumes = 'There are no volumes: the disk of a machine is its own.';
const noConsole = 'Machines offer no console here.';

export const partRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}/ips`,
    policy: 'os_compute_api:ips:index',
    find,
    handle: async (_deps, { target }) => ({ body: { addresses: plainAddresses(target) } }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/ips/{network_label}`,
    policy: 'os_compute_api:ips:show',
    find,
    handle: async (_deps, { target, params }) => {
      const [all, label] = [plainAddresses(target), params['network_label']!];
      if (!Object.hasOwn(all, label)) throw NotFound('Instance is not a member of specified network');
      return { body: { [label]: all[label] } };
    },
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/os-security-groups`,
    policy: 'os_compute_api:os-security-groups:list',
    find,
    handle: async (_deps, { target: { security_groups: groups, tenant_id } }) => ({
      body: {
        security_groups: groups.map(({ name }) => ({ id: name, name, tenant_id, description: '', rules: [] })),
      },
    }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/os-volume_attachments`,
    policy: 'os_compute_api:os-volumes-attachments:index',
    query: { limit: {}, offset: {} },
    find,
    handle: async () => ({ body: { volumeAttachments: [] } }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/os-volume_attachments/{volume_id}`,
    policy: 'os_compute_api:os-volumes-attachments:show',
    doc: 'a volume, of which there are none',
    refuses: 404,
    find,
    handle: async (_deps, { target, params }) => {
      throw NotFound(`Instance ${target.uuid} is not attached to volume ${params['volume_id']}`);
    },
  }),
  refused(`POST ${at}/os-volume_attachments`, 'os_compute_api:os-volumes-attachments:create', noVolumes),
  refused(`POST ${at}/remote-consoles`, 'os_compute_api:os-remote-consoles', noConsole, 6),
  refused(
    `GET ${at}/diagnostics`,
    'os_compute_api:os-server-diagnostics',
    'No hypervisor measures what a machine does: ask its sensors at the Bare Metal API.',
  ),
  route<undefined, StoredServer>({
    at: `GET ${at}/os-server-password`,
    policy: 'os_compute_api:os-server-password:show',
    find,
    // Guests that encrypt theirs for a key pair have nowhere to send it to.
    handle: async () => ({ body: { password: '' } }),
  }),
  route<undefined, StoredServer>({
    at: `DELETE ${at}/os-server-password`,
    policy: 'os_compute_api:os-server-password:clear',
    status: 204,
    find,
    handle: async () => ({}),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/migrations`,
    since: 23,
    policy: 'os_compute_api:servers:migrations:index',
    find,
    handle: async () => ({ body: { migrations: [] } }),
  }),
];
