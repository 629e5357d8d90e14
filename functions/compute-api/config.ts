/** Settings of the Compute API function, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { endpointOf, prefixes } from '../../layers/domain/apis.ts';

export const Config = z
  .object({ INGOT_PUBLIC_ENDPOINT: z.string() })
  .transform((env) => ({ publicEndpoint: endpointOf(env.INGOT_PUBLIC_ENDPOINT, prefixes.compute) }));

export type Config = z.output<typeof Config>;
