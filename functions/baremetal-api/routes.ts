/** Every route of the API. A resource adds its file here, a node's sub-resource in the list of nodes. */
import { ramdisk } from '../../layers/domain/baremetal/ramdisk.ts';
import { openapiRoute } from '../../layers/http/openapi/serve.ts';
import { allocationRoutes } from './allocation/index.ts';
import { chassisRoutes } from './chassis.ts';
import { conductorRoutes } from './conductor.ts';
import { deployTemplateRoutes } from './deploy-template.ts';
import { driverRoutes } from './driver.ts';
import { eventRoutes } from './event.ts';
import { importRoutes } from './imports/index.ts';
import { inspectionRuleRoutes } from './inspection-rule.ts';
import { nodeAllocationRoutes } from './node/allocation.ts';
import { biosRoutes } from './node/bios.ts';
import { bootModeRoutes } from './node/boot-mode.ts';
import { childrenRoutes } from './node/children.ts';
import { conversionRoutes } from './node/conversion.ts';
import { consoleRoutes } from './node/console.ts';
import { guestMetadataRoutes } from './node/guest-metadata.ts';
import { historyRoutes } from './node/history.ts';
import { nodeRoutes } from './node/index.ts';
import { inventoryRoutes } from './node/inventory.ts';
import { indicatorRoutes } from './node/indicators.ts';
import { maintenanceRoutes } from './node/maintenance.ts';
import { managementRoutes } from './node/management.ts';
import { raidRoutes } from './node/raid.ts';
import { stateRoutes } from './node/states.ts';
import { traitRoutes } from './node/traits.ts';
import { uploadRoutes } from './node/upload.ts';
import { validateRoutes } from './node/validate.ts';
import { vifRoutes } from './node/vifs.ts';
import { vmediaRoutes } from './node/vmedia.ts';
import { portRoutes } from './port/index.ts';
import { portgroupRoutes } from './portgroup.ts';
import { rootRoutes } from './root.ts';
import type { Route } from './route.ts';
import { runbookRoutes } from './runbook.ts';
import { shardRoutes } from './shard.ts';
import { takeoverRoutes } from './takeover.ts';
import { vendorRoutes } from './vendor.ts';
import { volumeRoutes } from './volume.ts';

/** In the order in which /v1 tells of what came at the same microversion. */
const resources: readonly Route[] = [
  ...chassisRoutes,
  ...nodeRoutes,
  ...portRoutes,
  ...driverRoutes,
  ...portgroupRoutes,
  ...stateRoutes,
  ...maintenanceRoutes,
  ...uploadRoutes,
  ...validateRoutes,
  ...vifRoutes,
  ...traitRoutes,
  ...historyRoutes,
  ...inventoryRoutes,
  ...guestMetadataRoutes,
  ...childrenRoutes,
  ...nodeAllocationRoutes,
  ...allocationRoutes,
  ...conductorRoutes,
  ...shardRoutes,
  ...volumeRoutes,
  ...managementRoutes,
  ...indicatorRoutes,
  ...bootModeRoutes,
  ...vmediaRoutes,
  ...consoleRoutes,
  ...raidRoutes,
  ...biosRoutes,
  ...vendorRoutes,
  ...deployTemplateRoutes,
  ...runbookRoutes,
  ...inspectionRuleRoutes,
  ...eventRoutes,
];

/** What administrators move in with: Ironic has no such collections, so /v1 does not tell of them. */
const additions: readonly Route[] = [...importRoutes, ...takeoverRoutes, ...conversionRoutes];

/** What clients see of Ironic's API, whichever function serves it. */
const seen = [...resources, ...Object.values(ramdisk)];
const documents = rootRoutes(seen);

/** What this function serves: the resources, and the documents that tell of them. */
export const routes: readonly Route[] = [
  ...documents,
  ...resources,
  ...additions,
  openapiRoute(
    'GET /v1/openapi.json',
    [...documents, ...seen, ...additions],
    async () => (await import('./openapi.ts')).book,
  ),
];
