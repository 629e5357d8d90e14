/** Settings of the Compute API function, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { endpointOf, prefixes } from '../../layers/domain/apis.ts';
import { maintenanceSetting } from '../../layers/http/maintenance.ts';

export const Config = z
  .object({ INGOT_PUBLIC_ENDPOINT: z.string(), INGOT_MAINTENANCE_RETRY_AFTER: maintenanceSetting })
  .transform((env) => ({
    publicEndpoint: endpointOf(env.INGOT_PUBLIC_ENDPOINT, prefixes.compute),
    maintenanceRetryAfter: env.INGOT_MAINTENANCE_RETRY_AFTER,
  }));

export type Config = z.output<typeof Config>;
