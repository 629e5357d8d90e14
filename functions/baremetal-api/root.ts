/** The version documents that clients discover the API with (ironic-api.md 1.4). */
import { MAX, MIN } from '../../layers/domain/versions.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { route, type Call, type Route } from './route.ts';

const versionDocument = (base: string) => ({
  id: 'v1',
  links: [{ href: `${base}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: `1.${MIN}`,
  version: `1.${MAX}`,
});

/** The resources that exist, with the microversion from which /v1 tells of them. */
const resources = {
  chassis: {},
  nodes: {},
  ports: {},
  drivers: {},
  lookup: { since: 22 },
  heartbeat: { since: 22 },
  portgroups: { since: 23 },
  volume: { since: 32 },
  conductors: { since: 49 },
  allocations: { since: 52 },
  events: { since: 54 },
  deploy_templates: { since: 55 },
  shards: { since: 82 },
  continue_inspection: { since: 84 },
  runbooks: { since: 92 },
  inspection_rules: { since: 96 },
} satisfies Record<string, { since?: number }>;

const root = ({ base }: Call) => ({
  name: 'OpenStack Ironic API',
  description: 'Ingot provisions bare-metal machines and speaks the OpenStack Bare Metal API.',
  default_version: versionDocument(base),
  versions: [versionDocument(base)],
});

const v1 = ({ base, version }: Call) => ({
  id: 'v1',
  links: [
    { href: `${base}/v1/`, rel: 'self' },
    { href: 'https://docs.openstack.org/api-ref/baremetal/', rel: 'describedby', type: 'text/html' },
  ],
  media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
  version: versionDocument(base),
  ...Object.fromEntries(
    Object.entries(resources)
      .filter(([, row]) => ('since' in row ? row.since : 1) <= version)
      .map(([name]) => [name, resourceLinks(base, name, '')]),
  ),
});

const documents = [
  ['', root],
  ['v1', v1],
] as const;

export const rootRoutes: readonly Route[] = documents.flatMap(([path, document]) => [
  route({ at: `GET /${path}`, policy: 'public', handle: async (_deps, call) => ({ body: document(call) }) }),
  route({ at: `HEAD /${path}`, policy: 'public', handle: async () => ({ status: 200 }) }),
]);
