/** Settings of the Image API function, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { networksSetting, noNetworks, parseNetworks } from '../../layers/bmc/networks.ts';
import { endpointOf, prefixes } from '../../layers/domain/apis.ts';
import { maintenanceSetting } from '../../layers/http/maintenance.ts';

/** Where administrators may send agents besides, as BMCs are there too. */
const privateNetworks = parseNetworks('', '');

export const Config = z
  .object({
    INGOT_PUBLIC_ENDPOINT: z.string(),
    INGOT_MAINTENANCE_RETRY_AFTER: maintenanceSetting,
    INGOT_IMAGES_PER_PROJECT: z.string().regex(/^\d+$/, 'has to be a whole number').transform(Number),
    INGOT_IMAGE_NETWORKS: networksSetting('image_networks', noNetworks),
    INGOT_DEPLOY_CALLBACK_TIMEOUT: z
      .string()
      .regex(/^[1-9]\d*$/, 'has to be a whole number above 0')
      .transform(Number),
  })
  .transform((env) => ({
    publicEndpoint: endpointOf(env.INGOT_PUBLIC_ENDPOINT, prefixes.image),
    imageNetworks: env.INGOT_IMAGE_NETWORKS,
    privateNetworks,
    // None is as good as more than anybody makes.
    imagesPerProject: env.INGOT_IMAGES_PER_PROJECT || Infinity,
    maintenanceRetryAfter: env.INGOT_MAINTENANCE_RETRY_AFTER,
    // An agent may fetch and write it for as long as it may be silent, and be told of it a heartbeat later.
    linkSeconds: 2 * env.INGOT_DEPLOY_CALLBACK_TIMEOUT,
  }));

export type Config = z.output<typeof Config>;
