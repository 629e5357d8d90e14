/** Every route of the API. A resource adds its file here. */
import { openapiRoute } from '../../layers/http/openapi/serve.ts';
import { fileRoutes } from './file.ts';
import { imageRoutes } from './image.ts';
import { importRoutes } from './import.ts';
import { infoRoutes } from './info.ts';
import { listRoutes } from './list.ts';
import { memberRoutes } from './member.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { uploadRoutes } from './upload.ts';

const resources: readonly Route[] = [
  ...rootRoutes,
  ...listRoutes,
  ...imageRoutes,
  ...memberRoutes,
  ...fileRoutes,
  ...importRoutes,
  ...uploadRoutes,
  ...infoRoutes,
];

/** What the function serves: the resources, and the document that tells of them. */
export const routes: readonly Route[] = [
  ...resources,
  openapiRoute('GET /v2/openapi.json', resources, async () => (await import('./openapi.ts')).book),
];
