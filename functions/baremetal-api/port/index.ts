/** The port resource. */
import type { Route } from '../route.ts';
import { itemRoutes } from './change.ts';
import { createRoute } from './create.ts';
import { listRoutes } from './list.ts';

export const portRoutes: readonly Route[] = [...listRoutes, createRoute, ...itemRoutes];
