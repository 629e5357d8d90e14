/** The node resource; sub-resources of others are listed in ../routes.ts. */
import type { Route } from '../route.ts';
import { createRoute } from './create.ts';
import { deleteRoute } from './delete.ts';
import { listRoutes } from './list.ts';
import { patchRoute } from './patch.ts';
import { showRoute } from './show.ts';

export const nodeRoutes: readonly Route[] = [...listRoutes, createRoute, showRoute, patchRoute, deleteRoute];
