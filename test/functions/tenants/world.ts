/** The three APIs for tenants over one table, in front of the real Bare Metal API, with one of everything that ann has. */
import { routes as computeRoutes } from '../../../functions/compute-api/routes.ts';
import { routes as imageRoutes } from '../../../functions/image-api/routes.ts';
import { groupOf } from '../../../functions/network-api/security-group.ts';
import { routes as networkRoutes } from '../../../functions/network-api/routes.ts';
import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Asking } from '../../fakes/http.ts';
import { createFront as createCompute } from '../compute-api/front.ts';
import { createMachines, secrets } from '../compute-api/machines.ts';
import { createFront as createImage } from '../image-api/front.ts';
import { createFront as createNetwork } from '../network-api/front.ts';
import { ann, root } from './personas.ts';

type Row = { readonly at: string; readonly until?: number; readonly policy: string };

/** The routes of each, as far as these tests look at them. */
export const apis = { compute: computeRoutes, image: imageRoutes, network: networkRoutes } as const satisfies Record<
  string,
  readonly Row[]
>;
export type Api = keyof typeof apis;
export const apiNames = Object.keys(apis) as Api[];

/** Of nothing. */
export const nowhere = '99999999-9999-4999-8999-999999999999';

/** What stands for the parameters of a path; for `{id}` what stands before it says of what. */
export type Ids = Readonly<Record<string, string>>;

/** Of the Compute API. */
export const newest = 96;

export const createWorld = async () => {
  const machines = createMachines();
  const { platform, store } = machines;
  const compute = createCompute({}, platform);
  const image = createImage({}, platform);
  const network = createNetwork(platform);

  /** A request to one of them; `version` is that of the Compute API. */
  const ask = async (api: Api, line: string, { version = newest, ...asking }: Asking & { version?: number } = {}) => {
    if (api === 'compute') return compute.request(line, { version, ...asking });
    return (api === 'image' ? image : network).request(line, asking);
  };

  const made = async (api: Api, line: string, asking: Asking & { version?: number }) => {
    const answer = await ask(api, line, { subject: ann, ...asking });
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
    return answer;
  };

  const network_id = await network.make('networks', { name: 'private' }).then(({ id }) => id as string);
  const subnet = { network_id, ip_version: 4, cidr: '10.0.0.0/24' };
  const subnet_id = await network.make('subnets', subnet).then(({ id }) => id as string);
  const external = await network.make('networks', { 'router:external': true }, root).then(({ id }) => id as string);
  await network.make('subnets', { network_id: external, ip_version: 4, cidr: '203.0.113.0/24' }, root);
  const port_id = await network.make('ports', { network_id }).then(({ id }) => id as string);
  const floating = await network.make('floatingips', { floating_network_id: external }).then(({ id }) => id as string);

  const image_id = await image.make({ visibility: 'shared' });
  await made('image', `POST /v2/images/${image_id}/members`, { body: { member: 'green' } });
  const octets = { body: 'data', headers: { 'Content-Type': 'application/octet-stream' } };
  await made('image', `PUT /v2/images/${image_id}/file`, octets);
  for (const [collection, id] of Object.entries({
    networks: network_id,
    subnets: subnet_id,
    ports: port_id,
    floatingips: floating,
  })) {
    await made('network', `PUT /v2.0/${collection}/${id}/tags/a`, {});
  }
  await made('image', `PUT /v2/images/${image_id}/tags/a`, {});

  const flavor = {
    id: 'flavor-of-red',
    name: 'bm.small',
    ram: 1,
    vcpus: 1,
    disk: 40,
    'os-flavor-access:is_public': false,
  };
  await made('compute', 'POST /v2.1/flavors', { subject: root, body: { flavor } });
  const grant = { addTenantAccess: { tenant: 'red' } };
  await made('compute', 'POST /v2.1/flavors/flavor-of-red/action', { subject: root, body: grant });
  const specs = { extra_specs: { a: '1' } };
  await made('compute', 'POST /v2.1/flavors/flavor-of-red/os-extra_specs', { subject: root, body: specs });
  const open = { flavor: 'flavor-for-all', image: await image.make({ visibility: 'community' }) };
  const bodyOf = { id: open.flavor, name: 'bm.all', ram: 1, vcpus: 1, disk: 40 };
  await made('compute', 'POST /v2.1/flavors', { subject: root, body: { flavor: bodyOf } });
  await made('image', `PUT /v2/images/${open.image}/file`, octets);
  await made('compute', 'POST /v2.1/os-keypairs', { version: 91, body: { keypair: { name: 'key-of-ann' } } });
  const group = { server_group: { name: 'g', policy: 'anti-affinity' } };
  const server_group_id = (await made('compute', 'POST /v2.1/os-server-groups', { body: group })).body.server_group
    .id as string;
  const server = {
    name: 's1',
    flavorRef: 'flavor-of-red',
    imageRef: image_id,
    networks: [{ port: port_id }],
    metadata: { a: '1' },
    tags: ['a'],
  };
  const hints = { 'os:scheduler_hints': { group: server_group_id } };
  const booted = await made('compute', 'POST /v2.1/servers', { body: { server, ...hints } });
  const server_id = booted.body.server.id as string;
  const { uuid: node } = await store({ ...secrets, resource_class: 'x', conductor_group: 'rack' });
  const idle = { run: null, run_workflow: null, asked: null, task_state: null, vm_state: 'active' } as const;
  const address = { ip_address: '10.0.0.9', subnet_id, floating_ips: [] };
  const seen = { network_name: 'private', mac_address: '52:54:00:00:00:09', fixed_ips: [address] };
  await changeRecord(platform, computeKinds.server, server_id, ({ interfaces }) => ({
    set: {
      ...idle,
      power_state: 1,
      node_uuid: node,
      interfaces: interfaces.map((card) => ({ ...card, state: 'plugged', seen })),
    },
  }));

  const ids: Readonly<Record<Api, Ids>> = {
    compute: {
      server_id,
      flavor_id: 'flavor-of-red',
      keypair_name: 'key-of-ann',
      server_group_id,
      hypervisor_id: node,
      node_id: node,
      tenant_id: 'red',
      key: 'a',
      tag: 'a',
      port_id,
      request_id: booted.headers['x-openstack-request-id']!,
      network_label: 'private',
      volume_id: nowhere,
      alias: 'NMN',
    },
    image: { image_id, tag: 'a', member_id: 'green' },
    network: {
      'networks/{id}': network_id,
      'subnets/{id}': subnet_id,
      'ports/{id}': port_id,
      'floatingips/{id}': floating,
      'security-groups/{id}': groupOf('red'),
      tag: 'a',
      project_id: 'red',
      alias: 'quotas',
    },
  };

  /** The path of a route with what there is in place of its parameters; `first`: in place of the first one. */
  const fill = (api: Api, path: string, first?: string): string => {
    let count = 0;
    return path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (whole, before: string, name: string) => {
      count += 1;
      const found = ids[api][`${before}/{${name}}`] ?? ids[api][name];
      if (found === undefined) throw new Error(`Nothing stands for ${whole} of ${path}: add it to the world.`);
      return `${before}/${count === 1 && first !== undefined ? first : found}`;
    });
  };

  return { platform, ask, ids, fill, network_id, external, open };
};

export type World = Awaited<ReturnType<typeof createWorld>>;
