/** Every route of the API. A resource adds its file here. */
import { openapiRoute } from '../../layers/http/openapi/serve.ts';
import { cloudRoutes } from './cloud/routes.ts';
import { flavorRoutes } from './flavor/routes.ts';
import { importRoute } from './import.ts';
import { keyPairRoutes } from './key-pair.ts';
import { quotaRoutes } from './quota.ts';
import { rootRoutes } from './root.ts';
import { serverGroupRoutes } from './server-group.ts';
import { serverRoutes } from './server/routes.ts';
import type { Route } from './route.ts';

const resources: readonly Route[] = [
  ...rootRoutes,
  ...flavorRoutes,
  ...keyPairRoutes,
  ...serverRoutes,
  ...serverGroupRoutes,
  ...quotaRoutes,
  ...cloudRoutes,
  importRoute,
];

/** What the function serves: the resources, and the document that tells of them. */
export const routes: readonly Route[] = [
  ...resources,
  openapiRoute('GET /v2.1/openapi.json', resources, async () => (await import('./openapi.ts')).book),
];
