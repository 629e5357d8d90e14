/** Settings of the builder of boot images, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { networksSetting } from '../../layers/bmc/networks.ts';

export const Config = z
  .object({ INGOT_BOOT_IMAGE_NETWORKS: networksSetting('boot_image_networks') })
  .transform((env) => ({ networks: env.INGOT_BOOT_IMAGE_NETWORKS }));

export type Config = z.output<typeof Config>;
