/**
 * Runs one phase of a workflow for Step Functions; one named state of the ASL file is one phase. The API asks it for
 * requests to hardware that a client waits for.
 */
import { Fault } from '../../layers/domain/fault.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import { failureOf } from '../../workflows/owners/node/failure.ts';
import { AllocationCall, runAllocation } from './allocation.ts';
import { Call, type Deps } from './call.ts';
import type { Config } from './config.ts';
import { fail } from './fail.ts';
import { RequestCall, serveRequest } from './request.ts';
import { runPhase } from './run-phase.ts';

/**
 * Answers the small object that the next Choice reads. Throws what the ASL retries or catches: Pending, NodeLocked,
 * Superseded, the faults of layers/bmc/faults.ts.
 */
export const create = (platform: Deps, config: Config) => async (event: unknown, invocation: Invocation) => {
  const allocating = AllocationCall.safeParse(event);
  if (allocating.success) return runAllocation(platform, allocating.data);
  const asked = RequestCall.safeParse(event);
  if (asked.success) return serveRequest(platform, asked.data);
  const parsed = Call.safeParse(event);
  if (!parsed.success)
    throw new Fault('PhaseUnknown', 400, `The ASL sent what no phase takes: ${parsed.error.message}`);
  const { data: call } = parsed;
  if (!call.failed) return runPhase(platform, config, call, invocation);
  const { phase, Error: error, Cause: cause } = call.failed;
  return fail(platform, call, failureOf(phase, error, cause), invocation);
};
