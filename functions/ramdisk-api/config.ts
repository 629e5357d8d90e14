/** Settings of the ramdisk API, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

export const Config = z
  .object({
    INGOT_PUBLIC_ENDPOINT: z.string(),
    INGOT_AGENT_REQUIRE_TLS: z.stringbool(),
  })
  .transform((env) => ({
    publicEndpoint: env.INGOT_PUBLIC_ENDPOINT.replace(/\/$/, ''),
    /** Whether an agent may be called over https only. */
    requireTls: env.INGOT_AGENT_REQUIRE_TLS,
  }));

export type Config = z.output<typeof Config>;
