/** Settings of the phases of servers' runs, from the environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { strategies, type StrategyName } from '../../layers/schedule/strategies.ts';
import type { Settings } from '../../workflows/owners/server/phase.ts';

const names = Object.keys(strategies) as [StrategyName, ...StrategyName[]];

export const Config = z
  .object({
    INGOT_SCHEDULER_STRATEGY: z.enum(names),
    INGOT_EXACT_MATCH_FILTERS: z.stringbool(),
    INGOT_DEFAULT_EPHEMERAL_FORMAT: z.string(),
    INGOT_SERVER_SHUTDOWN_TIMEOUT: z
      .string()
      .regex(/^[1-9]\d*$/, 'has to be a whole number above 0')
      .transform(Number),
    INGOT_SITE: z.string().min(1),
  })
  .transform((env): Settings => ({
    strategy: env.INGOT_SCHEDULER_STRATEGY,
    exact_match_filters: env.INGOT_EXACT_MATCH_FILTERS,
    ephemeralFormat: env.INGOT_DEFAULT_EPHEMERAL_FORMAT || null,
    shutdownTimeout: env.INGOT_SERVER_SHUTDOWN_TIMEOUT,
    host: env.INGOT_SITE,
  }));

export type Config = z.output<typeof Config>;
