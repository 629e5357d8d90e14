/** Settings of the phases of servers' runs, from the environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { spareKeys } from '../../layers/guest/instance-info.ts';
import { strategies, type StrategyName } from '../../layers/schedule/strategies.ts';
import type { Settings } from '../../workflows/owners/server/phase.ts';

/** Keys of instance_info, with commas. */
const leaveOut = z.string().transform((text, context) => {
  const keys = text
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean);
  const unknown = keys.filter((key) => !spareKeys.includes(key));
  if (unknown.length > 0) {
    context.addIssue(`${unknown.join(', ')}: what may be left out is ${spareKeys.join(', ')}`);
  }
  return keys;
});

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
    INGOT_INSTANCE_INFO_LEAVE_OUT: leaveOut,
    INGOT_SITE: z.string().min(1),
  })
  .transform((env): Settings => ({
    strategy: env.INGOT_SCHEDULER_STRATEGY,
    exact_match_filters: env.INGOT_EXACT_MATCH_FILTERS,
    ephemeralFormat: env.INGOT_DEFAULT_EPHEMERAL_FORMAT || null,
    shutdownTimeout: env.INGOT_SERVER_SHUTDOWN_TIMEOUT,
    leaveOut: env.INGOT_INSTANCE_INFO_LEAVE_OUT,
    host: env.INGOT_SITE,
  }));

export type Config = z.output<typeof Config>;
