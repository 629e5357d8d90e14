/** The machines behind the servers, as the Bare Metal API shows them to its client: tenants are shown nothing of it. */
import { isBaremetal } from '../../../layers/baremetal-client/faults.ts';
import { createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import type { ComputeRule } from '../../../layers/domain/compute/policy.ts';
import type { Fault } from '../../../layers/domain/fault.ts';
import { denied } from '../../../layers/domain/policy.ts';
import type { Call, Deps } from '../route.ts';
import { proofHeaders } from '../../../layers/http/admission.ts';

/** How long somebody waits for the Bare Metal API, ms; API Gateway waits 29 s. */
const patience = 25_000;

/** What asks about machines for one request. */
export const machinesFor = ({ apis, clock, chance }: Deps, { request_id }: { readonly request_id: string }) =>
  createBaremetalClient({ call: apis.baremetal, clock, chance }, { request_id, until: clock.now() + patience });

/**
 * The same as whoever asks this API: what he may see, the Bare Metal API checks once more. Nothing is asked as
 * this installation.
 */
export const machinesAs = (
  { apis, clock, chance }: Deps,
  { request_id, headers }: Pick<Call, 'request_id' | 'headers'>,
) => {
  const proof = Object.fromEntries(Object.entries(headers).filter(([name]) => proofHeaders.includes(name)));
  const options = { request_id, proof, until: clock.now() + patience };
  return createBaremetalClient({ call: apis.baremetal, clock, chance }, options);
};

/** What was asked by `machinesAs`: who is refused there is refused here, in the words of this rule. */
export const orForbidden = async <T>(asked: Promise<T>, rule: ComputeRule): Promise<T> =>
  asked.catch((error: unknown) => {
    throw isBaremetal(error, 'BaremetalForbidden') ? denied(rule) : error;
  });

/** What was asked about machines; `missing` is thrown for a node that the Bare Metal API does not have. */
export const orMissing = async <T>(asked: Promise<T>, missing: () => Fault): Promise<T> =>
  asked.catch((error: unknown) => {
    throw isBaremetal(error, 'BaremetalNotFound') ? missing() : error;
  });
