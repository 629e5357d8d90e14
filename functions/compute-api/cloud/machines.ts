/** The machines behind the servers, as the Bare Metal API shows them to its client: tenants are shown nothing of it. */
import { isBaremetal } from '../../../layers/baremetal-client/faults.ts';
import { createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import type { Fault } from '../../../layers/domain/fault.ts';
import type { Deps } from '../route.ts';

/** How long somebody waits for the Bare Metal API, ms; API Gateway waits 29 s. */
const patience = 25_000;

/** What asks about machines for one request. */
export const machinesFor = ({ apis, clock, chance }: Deps, { request_id }: { readonly request_id: string }) =>
  createBaremetalClient({ call: apis.baremetal, clock, chance }, { request_id, until: clock.now() + patience });

/** What was asked about machines; `missing` is thrown for a node that the Bare Metal API does not have. */
export const orMissing = async <T>(asked: Promise<T>, missing: () => Fault): Promise<T> =>
  asked.catch((error: unknown) => {
    throw isBaremetal(error, 'BaremetalNotFound') ? missing() : error;
  });
