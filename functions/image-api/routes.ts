/** Every route of the API. A resource adds its file here. */
import { fileRoutes } from './file.ts';
import { imageRoutes } from './image.ts';
import { importRoutes } from './import.ts';
import { infoRoutes } from './info.ts';
import { listRoutes } from './list.ts';
import { memberRoutes } from './member.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { uploadRoutes } from './upload.ts';

export const routes: readonly Route[] = [
  ...rootRoutes,
  ...listRoutes,
  ...imageRoutes,
  ...memberRoutes,
  ...fileRoutes,
  ...importRoutes,
  ...uploadRoutes,
  ...infoRoutes,
];
