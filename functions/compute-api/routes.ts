/** Every route of the API. A resource adds its file here. */
import { keyPairRoutes } from './key-pair.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';

export const routes: readonly Route[] = [...rootRoutes, ...keyPairRoutes];
