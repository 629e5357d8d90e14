/**
 * Who may do what by the APIs for tenants (compute-api.md 10), as data: what is done, the outcome for each persona
 * (personas.ts) with what is ann's, and the routes that do it; what follows a # names a body or query of asking.ts. y: let
 * through, F: 403, 4: 404 as if it were not there, n: 404 whoever asks, 1: 401.
 */
import { actions, impossible } from '../../../layers/domain/compute/actions.ts';
import type { Api } from './world.ts';

export type Operation = readonly [what: string, outcome: string, routes: readonly string[]];

const compute = (method: string, ...paths: string[]) => paths.map((path) => `${method} /v2.1/${path}`);
const flavor = (method: string, ...below: string[]) =>
  compute(method, ...below.map((path) => `flavors/{flavor_id}${path}`));
const server = (method: string, ...below: string[]) =>
  compute(method, ...below.map((path) => `servers/{server_id}${path}`));
const acting = (...names: string[]) => server('POST', ...names.map((name) => `/action#${name}`));
const image = (method: string, ...below: string[]) => below.map((path) => `${method} /v2/images/{image_id}${path}`);
const network = (method: string, ...below: string[]) =>
  ['networks', 'subnets', 'ports', 'floatingips'].flatMap((name) =>
    below.map((path) => `${method} /v2.0/${name}${path}`),
  );

const forAdmins = ['os-resetState'];
const forMembers = [...new Set(Object.values(actions).flatMap(({ body }) => body ?? []))].filter(
  (name) => !forAdmins.includes(name),
);

const ofCompute: readonly Operation[] = [
  ['find the API', 'yyyyyy yyyy y yyyy y', ['GET /', 'GET /v2.1', 'GET /v2.1/openapi.json']],
  [
    'see what the cloud offers',
    'yyyyyF yyyF F yyyF 1',
    compute('GET', 'flavors', 'flavors/detail', 'limits', 'os-availability-zone', 'extensions').concat(
      compute('GET', 'os-quota-sets/{tenant_id}/defaults'),
    ),
  ],
  ['look for an extension', 'nnnnnF nnnF F nnnF 1', compute('GET', 'extensions/{alias}')],
  [
    'see a flavor that is for project red',
    'yyyyy4 y444 4 yyy4 1',
    flavor('GET', '', '/os-extra_specs', '/os-extra_specs/{key}'),
  ],
  [
    'change such a flavor, and who has it',
    'yFFFF4 y444 4 yFF4 1',
    [
      ...flavor('PUT', '', '/os-extra_specs/{key}'),
      ...flavor('DELETE', '', '/os-extra_specs/{key}'),
      ...flavor('GET', '/os-flavor-access'),
      ...flavor('POST', '/os-extra_specs', '/action', '/action#remove'),
    ],
  ],
  [
    'run the cloud',
    'yFFFFF yFFF F yFFF 1',
    [
      ...compute('POST', 'flavors', 'imports'),
      ...compute('PUT', 'os-quota-sets/{tenant_id}'),
      ...compute('DELETE', 'os-quota-sets/{tenant_id}'),
      ...compute('GET', 'servers#all', 'servers/detail#all', 'os-server-groups#all', 'limits#other'),
    ],
  ],
  [
    'see its machines',
    'yFFFFF yFFF F yFFF 1',
    [
      ...compute('GET', 'os-hypervisors', 'os-hypervisors/detail', 'os-hypervisors/statistics'),
      ...['', '/uptime', '/search', '/servers'].flatMap((path) =>
        compute('GET', `os-hypervisors/{hypervisor_id}${path}`),
      ),
      ...compute('GET', 'os-baremetal-nodes', 'os-baremetal-nodes/{node_id}'),
      ...compute('GET', 'os-availability-zone/detail', 'os-services', 'os-migrations', 'os-aggregates'),
    ],
  ],
  ['make a machine where none is made', 'nFFFFF nFFF F nFFF 1', compute('POST', 'os-baremetal-nodes')],
  [
    'change a machine where none is changed',
    '4FFFFF 4FFF F 4FFF 1',
    [...compute('DELETE', 'os-baremetal-nodes/{node_id}'), ...compute('POST', 'os-baremetal-nodes/{node_id}/action')],
  ],
  [
    'use the key pairs of ann',
    'yFyFFF yFFF F yFFF 1',
    [
      ...compute('GET', 'os-keypairs', 'os-keypairs/{keypair_name}'),
      ...compute('POST', 'os-keypairs'),
      ...compute('DELETE', 'os-keypairs/{keypair_name}'),
    ],
  ],
  [
    'see the quota of project red',
    'yyyyyF yFFF F yFFF 1',
    compute('GET', 'os-quota-sets/{tenant_id}', 'os-quota-sets/{tenant_id}/detail'),
  ],
  [
    'list what his project has',
    'yyyyyF yyyF F yFFF 1',
    compute('GET', 'servers', 'servers/detail', 'os-server-groups'),
  ],
  ['make something in his project', 'yyyyFF yyFF F yFFF 1', compute('POST', 'servers', 'os-server-groups')],
  [
    'see a server of project red, or its group',
    'yyyyy4 y444 4 y444 1',
    [
      ...server('GET', '', '/metadata', '/metadata/{key}', '/tags', '/tags/{tag}', '/ips', '/ips/{network_label}'),
      ...server('GET', '/os-interface', '/os-interface/{port_id}', '/os-security-groups', '/os-volume_attachments'),
      ...server('GET', '/os-instance-actions', '/os-instance-actions/{request_id}', '/os-server-password'),
      ...compute('GET', 'os-server-groups/{server_group_id}'),
    ],
  ],
  ['see a volume of it', 'nnnnn4 n444 4 n444 1', server('GET', '/os-volume_attachments/{volume_id}')],
  [
    'change a server of project red, or its group',
    'yyyyF4 y444 4 y444 1',
    [
      ...server('PUT', '', '/metadata', '/metadata/{key}', '/tags', '/tags/{tag}'),
      ...server('POST', '/metadata', '/os-interface', '/os-volume_attachments', '/remote-consoles'),
      ...server('DELETE', '', '/metadata/{key}', '/tags', '/tags/{tag}', '/os-interface/{port_id}'),
      ...server('DELETE', '/os-server-password'),
      ...acting(...forMembers),
      ...compute('DELETE', 'os-server-groups/{server_group_id}'),
    ],
  ],
  ['ask for what no machine can do', 'yyyyy4 y444 4 y444 1', acting(...Object.keys(impossible))],
  [
    'see and say of a server what its tenant does not',
    'yFFFF4 y444 4 y444 1',
    [...server('GET', '/diagnostics', '/migrations'), ...acting(...forAdmins)],
  ],
];

const ofImage: readonly Operation[] = [
  ['find the API', 'yyyyyy yyyy y yyyy y', ['GET /', 'GET /v2', 'GET /versions', 'GET /v2/openapi.json']],
  [
    'list what he may see, and learn the forms',
    'yyyyyy yyyy F yyyy 1',
    [
      'GET /v2/images',
      ...['image', 'images', 'member', 'members'].map((name) => `GET /v2/schemas/${name}`),
      'GET /v2/info/import',
    ],
  ],
  ['look for stores', 'nnnnnn nnnn F nnnn 1', ['GET /v2/info/stores']],
  ['make an image', 'yyyyFF yyFF F yFFF 1', ['POST /v2/images']],
  ['see an image of project red', 'yyyyyy 444y 4 yyyy 1', image('GET', '', '/members', '/members/{member_id}')],
  [
    'change it',
    'yyyyFF 444F 4 yFFF 1',
    [
      ...image('PATCH', ''),
      ...image('DELETE', '', '/tags/{tag}', '/members/{member_id}'),
      ...image('PUT', '/tags/{tag}', '/file', '/stage'),
      ...image('POST', '/members', '/import', '/upload'),
    ],
  ],
  [
    'switch it off, and answer for the project that it is offered to',
    'FFFFFF 444F 4 yFFF 1',
    [...image('POST', '/actions/deactivate', '/actions/reactivate'), ...image('PUT', '/members/{member_id}')],
  ],
  [
    'have its data, and say where they are',
    'yyyyFy 444y 4 yFFy 1',
    [...image('GET', '/file', '/download'), ...image('POST', '/locations')],
  ],
  ['see where its data are', 'FFFFFy 444y 4 yFFy 1', image('GET', '/locations')],
];

const ofNetwork: readonly Operation[] = [
  ['find the API', 'yyyyyy yyyy y yyyy y', ['GET /', 'GET /v2.0', 'GET /v2.0/openapi.json']],
  [
    'list what he may see',
    'yyyyyF yyyF F yyyF 1',
    [
      ...network('GET', ''),
      ...['security-groups', 'security-group-rules', 'extensions', 'extensions/{alias}', 'availability_zones'].map(
        (name) => `GET /v2.0/${name}`,
      ),
    ],
  ],
  ['make something in project red', 'yyyyFF yFFF F yFFF 1', network('POST', '')],
  ['see what project red has', 'yyyyy4 y444 4 yyy4 1', network('GET', '/{id}', '/{id}/tags', '/{id}/tags/{tag}')],
  [
    'change it',
    'yyyyF4 y444 4 yFF4 1',
    [
      ...network('PUT', '/{id}', '/{id}/tags', '/{id}/tags/{tag}'),
      ...network('DELETE', '/{id}', '/{id}/tags', '/{id}/tags/{tag}'),
    ],
  ],
  ['see its security group', 'yyyyyF 444F F 444F 1', ['GET /v2.0/security-groups/{id}']],
  [
    'see its quota',
    'yyyyyF yFFF F yyyF 1',
    ['', '/default', '/details'].map((path) => `GET /v2.0/quotas/{project_id}${path}`),
  ],
  [
    'set quotas',
    'yFFFFF yFFF F yFFF 1',
    ['GET /v2.0/quotas', 'PUT /v2.0/quotas/{project_id}', 'DELETE /v2.0/quotas/{project_id}'],
  ],
];

export const operations: Readonly<Record<Api, readonly Operation[]>> = {
  compute: ofCompute,
  image: ofImage,
  network: ofNetwork,
};
