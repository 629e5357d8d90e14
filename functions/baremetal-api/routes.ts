/** Every route of the API. A resource adds its file here, a node's sub-resource in the list of nodes. */
import { allocationRoutes } from './allocation/index.ts';
import { chassisRoutes } from './chassis.ts';
import { conductorRoutes } from './conductor.ts';
import { driverRoutes } from './driver.ts';
import { nodeAllocationRoutes } from './node/allocation.ts';
import { childrenRoutes } from './node/children.ts';
import { historyRoutes } from './node/history.ts';
import { nodeRoutes } from './node/index.ts';
import { inventoryRoutes } from './node/inventory.ts';
import { maintenanceRoutes } from './node/maintenance.ts';
import { stateRoutes } from './node/states.ts';
import { traitRoutes } from './node/traits.ts';
import { uploadRoutes } from './node/upload.ts';
import { validateRoutes } from './node/validate.ts';
import { vifRoutes } from './node/vifs.ts';
import { openapiRoutes } from './openapi/index.ts';
import { portRoutes } from './port/index.ts';
import { portgroupRoutes } from './portgroup.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { shardRoutes } from './shard.ts';
import { volumeRoutes } from './volume.ts';

/** The order does not matter. */
const resources: readonly Route[] = [
  ...rootRoutes,
  ...nodeRoutes,
  ...portRoutes,
  ...portgroupRoutes,
  ...stateRoutes,
  ...maintenanceRoutes,
  ...uploadRoutes,
  ...validateRoutes,
  ...vifRoutes,
  ...traitRoutes,
  ...historyRoutes,
  ...inventoryRoutes,
  ...childrenRoutes,
  ...nodeAllocationRoutes,
  ...allocationRoutes,
  ...chassisRoutes,
  ...driverRoutes,
  ...conductorRoutes,
  ...shardRoutes,
  ...volumeRoutes,
];

/** What `match.ts` compiles: the API, and the document that describes it. */
export const routes: readonly Route[] = [...resources, ...openapiRoutes(resources)];
