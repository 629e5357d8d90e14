/** Settings of the synchronisation of power states, from the environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

export const Config = z
  .object({
    INGOT_FORCE_POWER_STATE_DURING_SYNC: z.stringbool(),
    INGOT_POWER_STATE_SYNC_MAX_RETRIES: z.string().regex(/^\d+$/, 'has to be a whole number').transform(Number),
  })
  .transform((env) => ({
    force: env.INGOT_FORCE_POWER_STATE_DURING_SYNC,
    maxRetries: env.INGOT_POWER_STATE_SYNC_MAX_RETRIES,
  }));

export type Config = z.output<typeof Config>;
