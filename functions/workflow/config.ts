/** Settings of the phase runner, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import type { Settings } from '../../workflows/phase.ts';

const priority = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

export const Config = z
  .object({
    INGOT_AUTOMATED_CLEAN: z.stringbool().default(true),
    INGOT_ERASE_DEVICES_PRIORITY: priority(10),
    INGOT_ERASE_DEVICES_METADATA_PRIORITY: priority(99),
    INGOT_DEPLOY_CALLBACK_TIMEOUT: z.coerce.number().int().positive().default(1800),
    INGOT_AGENT_ENDPOINT: z.string().default(''),
  })
  .transform((env): Settings => ({
    automatedClean: env.INGOT_AUTOMATED_CLEAN,
    cleanPriorities: {
      erase_devices: env.INGOT_ERASE_DEVICES_PRIORITY,
      erase_devices_metadata: env.INGOT_ERASE_DEVICES_METADATA_PRIORITY,
    },
    // The agent fetches the configdrive after the image, which may take as long as the agent may be silent.
    linkSeconds: 2 * env.INGOT_DEPLOY_CALLBACK_TIMEOUT,
    agentEndpoint: env.INGOT_AGENT_ENDPOINT.replace(/\/$/, ''),
  }));

export type Config = z.output<typeof Config>;
