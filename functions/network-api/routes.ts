/** Every route of the API. A resource adds its file here. */
import { openapiRoute } from '../../layers/http/openapi/serve.ts';
import { resourceRoutes } from './crud.ts';
import { extensionRoutes } from './extension.ts';
import { floatingIps } from './floating-ip.ts';
import { networks } from './network.ts';
import { ports } from './port.ts';
import { quotaRoutes } from './quota.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { securityGroupRoutes } from './security-group.ts';
import { subnets } from './subnet.ts';
import { tagRoutes } from './tag.ts';

/** What /v2.0 tells of. */
const collections = [networks, subnets, ports, floatingIps].map(({ collection, name }) => ({ collection, name }));

const resources: readonly Route[] = [
  ...rootRoutes([
    ...collections,
    { collection: 'security-groups', name: 'security_group' },
    { collection: 'quotas', name: 'quota' },
    { collection: 'extensions', name: 'extension' },
  ]),
  ...resourceRoutes(networks),
  ...resourceRoutes(subnets),
  ...resourceRoutes(ports),
  ...resourceRoutes(floatingIps),
  ...tagRoutes(networks),
  ...tagRoutes(subnets),
  ...tagRoutes(ports),
  ...tagRoutes(floatingIps),
  ...quotaRoutes,
  ...securityGroupRoutes,
  ...extensionRoutes,
];

/** What the function serves: the resources, and the document that tells of them. */
export const routes: readonly Route[] = [
  ...resources,
  openapiRoute('GET /v2.0/openapi.json', resources, async () => (await import('./openapi.ts')).book),
];
