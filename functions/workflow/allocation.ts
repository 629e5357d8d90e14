/** Phases of allocations: no node, no lock and no run, only the UUID of the allocation. */
import * as z from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import { failAllocation } from '../../layers/store/allocations.ts';
import { failureOf } from '../../workflows/owners/node/failure.ts';
import { allocationWorkflows } from '../../workflows/index.ts';
import { allocationFailure, type AllocationPhase } from '../../workflows/allocate/phases.ts';
import { Failed, type Deps } from './call.ts';

/** What an ASL state of an allocation sends; `failed` comes from a Catch. */
export const AllocationCall = z.object({
  workflow: z.literal('allocate'),
  phase: z.string(),
  allocation: z.string(),
  failed: Failed.optional(),
});

export type AllocationCall = z.output<typeof AllocationCall>;

const fail = async (platform: Deps, uuid: string, { phase, Error: error, Cause: cause }: Failed): Promise<object> => {
  const reason = allocationFailure(failureOf(phase, error, cause));
  await failAllocation(platform, uuid, reason);
  return { error, cause: reason };
};

/** Answers what the next Choice reads. Throws NodeLocked, Conflict and Superseded, which the ASL retries or catches. */
export const runAllocation = async (platform: Deps, call: AllocationCall): Promise<object> => {
  const { workflow, phase, allocation: uuid, failed } = call;
  if (failed) return fail(platform, uuid, failed);
  const phases: { readonly [name: string]: AllocationPhase } = allocationWorkflows[workflow];
  const found = Object.hasOwn(phases, phase) ? phases[phase] : undefined;
  if (!found) throw new Fault('PhaseUnknown', 400, `Workflow ${workflow} has no phase ${phase}.`);
  return found.run(platform, uuid);
};
