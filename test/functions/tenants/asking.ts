/** What is sent to routes in the tests of access: bodies that are decided upon, and queries that name whose it is. */
import { actions, impossible } from '../../../layers/domain/compute/actions.ts';
import type { Api, World } from './world.ts';

/** Of nobody. */
const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE ann@desk';

type Sent = { readonly query?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** By the name of the route; what follows a # says which of its bodies. Others get an empty object, or none. */
export const sentTo = (world: World): Readonly<Record<Api, Readonly<Record<string, Sent>>>> => {
  const octets = { body: 'data', headers: { 'Content-Type': 'application/octet-stream' } };
  const patch = { body: [{ op: 'replace', path: '/name', value: 'x' }] };
  const named = (name: string) => ({ body: { [name]: { description: 'x' } } });
  const values: Readonly<Record<string, object>> = {
    reboot: { type: 'HARD' },
    rebuild: { imageRef: world.ids.image['image_id'], preserve_ephemeral: true, metadata: { a: '1' }, key_name: null },
    rescue: { adminPass: 'x' },
    lock: { locked_reason: 'x' },
    'os-resetState': { state: 'error' },
  };
  const tags = { body: { tags: ['x'] } };
  return {
    compute: {
      'GET /v2.1/os-keypairs': { query: '?user_id=ann' },
      'GET /v2.1/os-keypairs/{keypair_name}': { query: '?user_id=ann' },
      'DELETE /v2.1/os-keypairs/{keypair_name}': { query: '?user_id=ann' },
      'POST /v2.1/os-keypairs': { body: { keypair: { name: 'x', public_key: publicKey, user_id: 'ann' } } },
      'POST /v2.1/os-server-groups': { body: { server_group: { name: 'x', policy: 'anti-affinity' } } },
      'GET /v2.1/os-server-groups#all': { query: '?all_projects=1' },
      'GET /v2.1/servers#all': { query: '?all_tenants=1' },
      'GET /v2.1/servers/detail#all': { query: '?all_tenants=1' },
      'GET /v2.1/limits#other': { query: '?tenant_id=other' },
      'POST /v2.1/servers': {
        body: {
          server: {
            name: 'x',
            flavorRef: world.ids.compute['flavor_id'],
            imageRef: world.ids.image['image_id'],
            networks: [{ uuid: world.network_id, fixed_ip: '10.0.0.40', tag: 'eth0' }],
            metadata: { a: '1' },
            tags: ['a'],
            user_data: 'YQ==',
            description: 'x',
            min_count: 1,
            max_count: '1',
          },
          'os:scheduler_hints': { group: world.ids.compute['server_group_id'] },
        },
      },
      'PUT /v2.1/servers/{server_id}': { body: { server: { name: 'x', description: null, accessIPv4: '10.0.0.1' } } },
      'PUT /v2.1/os-quota-sets/{tenant_id}': { body: { quota_set: { instances: 50, force: true } } },
      'POST /v2.1/imports': { body: { servers: [{ id: 'x' }] } },
      'POST /v2.1/flavors': { body: { flavor: { name: 'x', ram: 1, vcpus: 1, disk: 1 } } },
      'PUT /v2.1/flavors/{flavor_id}': { body: { flavor: { description: 'x' } } },
      'POST /v2.1/flavors/{flavor_id}/action': { body: { addTenantAccess: { tenant: 'x' } } },
      'POST /v2.1/flavors/{flavor_id}/action#remove': { body: { removeTenantAccess: { tenant: 'red' } } },
      'POST /v2.1/flavors/{flavor_id}/os-extra_specs': { body: { extra_specs: { a: '2' } } },
      'PUT /v2.1/flavors/{flavor_id}/os-extra_specs/{key}': { body: { a: '2' } },
      'POST /v2.1/servers/{server_id}/metadata': { body: { metadata: { a: '2' } } },
      'PUT /v2.1/servers/{server_id}/metadata': { body: { metadata: { a: '2' } } },
      'PUT /v2.1/servers/{server_id}/metadata/{key}': { body: { meta: { a: '2' } } },
      'PUT /v2.1/servers/{server_id}/tags': tags,
      'POST /v2.1/servers/{server_id}/os-interface': {
        body: { interfaceAttachment: { net_id: world.network_id } },
      },
      ...Object.fromEntries(
        [...Object.values(actions).flatMap(({ body }) => body ?? []), ...Object.keys(impossible)].map((name) => [
          `POST /v2.1/servers/{server_id}/action#${name}`,
          { body: { [name]: values[name] ?? null } },
        ]),
      ),
    },
    image: {
      'POST /v2/images': { body: { name: 'x', disk_format: 'qcow2', container_format: 'bare', tags: ['a'], a: 'b' } },
      'PATCH /v2/images/{image_id}': {
        ...patch,
        headers: { 'Content-Type': 'application/openstack-images-v2.1-json-patch' },
      },
      'PUT /v2/images/{image_id}/file': octets,
      'PUT /v2/images/{image_id}/stage': octets,
      'POST /v2/images/{image_id}/members': { body: { member: 'x' } },
      'PUT /v2/images/{image_id}/members/{member_id}': { body: { status: 'accepted' } },
      'POST /v2/images/{image_id}/import': {
        body: { method: { name: 'web-download', uri: 'https://images.example.org/x' } },
      },
      'POST /v2/images/{image_id}/locations': { body: { url: 'https://images.example.org/y' } },
      'POST /v2/images/{image_id}/upload': { body: { os_hash_value: 'a'.repeat(64) } },
    },
    network: {
      'POST /v2.0/networks': { body: { network: { project_id: 'red' } } },
      'POST /v2.0/subnets': {
        body: {
          subnet: { network_id: world.network_id, ip_version: 4, cidr: '10.9.0.0/24', project_id: 'red' },
        },
      },
      'POST /v2.0/ports': { body: { port: { network_id: world.network_id, project_id: 'red' } } },
      'POST /v2.0/floatingips': { body: { floatingip: { floating_network_id: world.external, project_id: 'red' } } },
      'PUT /v2.0/networks/{id}': named('network'),
      'PUT /v2.0/subnets/{id}': named('subnet'),
      'PUT /v2.0/ports/{id}': named('port'),
      'PUT /v2.0/floatingips/{id}': named('floatingip'),
      'PUT /v2.0/networks/{id}/tags': tags,
      'PUT /v2.0/subnets/{id}/tags': tags,
      'PUT /v2.0/ports/{id}/tags': tags,
      'PUT /v2.0/floatingips/{id}/tags': tags,
      'PUT /v2.0/quotas/{project_id}': { body: { quota: { network: 5 } } },
    },
  };
};
