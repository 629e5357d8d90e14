/** Runs one phase of a workflow for Step Functions (brief: one named ASL state is one phase). */
import * as z from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import type { Invocation, Ports } from '../../layers/store/ports.ts';
import { failureOf } from '../../workflows/failure.ts';
import { isWorkflow } from '../../workflows/steps/index.ts';
import type { Config } from './config.ts';
import { fail } from './fail.ts';
import { runPhase } from './run-phase.ts';

export type Deps = Pick<Ports, 'table' | 'objects' | 'workflows' | 'functions' | 'log' | 'clock' | 'ids'>;

/** What an ASL state sends. `token` comes from states that wait, `failed` from a Catch, `timeout` from power. */
const Call = z.object({
  workflow: z.string().refine(isWorkflow, 'no such workflow'),
  phase: z.string(),
  node: z.string(),
  run: z.string(),
  token: z.string().optional(),
  timeout: z.number().positive().nullish(),
  failed: z.object({ phase: z.string(), Error: z.string(), Cause: z.string().optional() }).optional(),
});

export type Call = z.output<typeof Call>;

/**
 * Answers the small object that the next Choice reads. Throws what the ASL retries or catches: Pending, NodeLocked,
 * Superseded, the faults of layers/bmc/faults.ts.
 */
export const create = (ports: Deps, config: Config) => async (event: unknown, invocation: Invocation) => {
  const parsed = Call.safeParse(event);
  if (!parsed.success)
    throw new Fault('PhaseUnknown', 400, `The ASL sent what no phase takes: ${parsed.error.message}`);
  const { data: call } = parsed;
  if (!call.failed) return runPhase(ports, config, call, invocation);
  const { phase, Error: error, Cause: cause } = call.failed;
  return fail(ports, call, failureOf(phase, error, cause), invocation);
};
