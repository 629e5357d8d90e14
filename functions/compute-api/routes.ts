/** Every route of the API. A resource adds its file here. */
import { cloudRoutes } from './cloud/routes.ts';
import { flavorRoutes } from './flavor/routes.ts';
import { keyPairRoutes } from './key-pair.ts';
import { quotaRoutes } from './quota.ts';
import { rootRoutes } from './root.ts';
import { serverGroupRoutes } from './server-group.ts';
import { serverRoutes } from './server/routes.ts';
import type { Route } from './route.ts';

export const routes: readonly Route[] = [
  ...rootRoutes,
  ...flavorRoutes,
  ...keyPairRoutes,
  ...serverRoutes,
  ...serverGroupRoutes,
  ...quotaRoutes,
  ...cloudRoutes,
];
