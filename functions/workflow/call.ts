/** What the function is given: by its composition root, and by an ASL state. */
import * as z from 'zod';

import type { Platform } from '../../layers/platform/platform.ts';
import { isWorkflow } from '../../workflows/names.ts';

export type Deps = Pick<
  Platform,
  'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'
>;

/** What a Catch sends to the Fail phase. */
export const Failed = z.object({ phase: z.string(), Error: z.string(), Cause: z.string().optional() });

export type Failed = z.output<typeof Failed>;

/**
 * What an ASL state sends. `token` comes from states that wait, `failed` from a Catch, `timeout` from power,
 * `boot` (1, 2) from those that boot the ramdisk, which is tried twice.
 */
export const Call = z.object({
  workflow: z.string().refine(isWorkflow, 'no such workflow'),
  phase: z.string(),
  node: z.string(),
  run: z.string(),
  token: z.string().optional(),
  timeout: z.number().positive().nullish(),
  boot: z.number().int().positive().optional(),
  failed: Failed.optional(),
});

export type Call = z.output<typeof Call>;
