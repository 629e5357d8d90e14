/** The version documents that clients discover the API with (ironic-api.md 1.4). */
import { MAX, MIN } from '../../layers/domain/versions.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import type { Endpoint } from '../../layers/http/route.ts';
import { partsOf } from '../../layers/http/tree.ts';
import { route, type Call, type Route } from './route.ts';

const versionDocument = (base: string) => ({
  id: 'v1',
  links: [{ href: `${base}/v1/`, rel: 'self' }],
  status: 'CURRENT',
  min_version: `1.${MIN}`,
  version: `1.${MAX}`,
});

type Row = Pick<Endpoint, 'at' | 'since'>;

/** The collections that rows stand in, the oldest first, each with the microversion of its oldest row. */
const collectionsOf = (rows: readonly Row[]): [name: string, since: number][] => {
  const found = new Map<string, number>();
  for (const { at, since = 1 } of rows) {
    const name = partsOf(at).path.split('/')[2];
    if (name) found.set(name, Math.min(since, found.get(name) ?? since));
  }
  return [...found].sort(([, one], [, other]) => one - other);
};

const root = ({ base }: Call) => ({
  name: 'OpenStack Ironic API',
  description: 'Ingot provisions bare-metal machines and speaks the OpenStack Bare Metal API.',
  default_version: versionDocument(base),
  versions: [versionDocument(base)],
});

const v1 =
  (collections: readonly [string, number][]) =>
  ({ base, version }: Call) => ({
    id: 'v1',
    links: [
      { href: `${base}/v1/`, rel: 'self' },
      { href: 'https://docs.openstack.org/api-ref/baremetal/', rel: 'describedby', type: 'text/html' },
    ],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    version: versionDocument(base),
    ...Object.fromEntries(
      collections.filter(([, since]) => since <= version).map(([name]) => [name, resourceLinks(base, name, '')]),
    ),
  });

const both = (path: string, document: (call: Call) => object): Route[] => [
  route({ at: `GET /${path}`, policy: 'public', handle: async (_deps, call) => ({ body: document(call) }) }),
  route({ at: `HEAD /${path}`, policy: 'public', handle: async () => ({ status: 200 }) }),
];

/** The documents at the root and at /v1; the latter tells of the collections that `rows` stand in. */
export const rootRoutes = (rows: readonly Row[]): Route[] => [
  ...both('', root),
  ...both('v1', v1(collectionsOf(rows))),
];
