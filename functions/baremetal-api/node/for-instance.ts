/**
 * A condition of requests, an addition to Ironic's API: with the header `X-Ingot-Instance` (the UUID of an instance) a
 * request is only for a node that has this instance when it is written. Who has servers on machines can be late, and a node
 * that was given to somebody else meanwhile is none of his business. Ironic ignores the header.
 */
import { Conflict } from '../../../layers/domain/fault.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Call } from '../route.ts';

const header = 'x-ingot-instance';

/** Throws Conflict (409) for a node that has not, or not any more, the instance that the request is for. */
export const requireInstance = (
  { headers }: Pick<Call, 'headers'>,
  { uuid, instance_uuid: has }: Pick<StoredNode, 'uuid' | 'instance_uuid'>,
): void => {
  const wanted = headers[header]?.trim().toLowerCase();
  if (wanted === undefined || wanted === has) return;
  throw Conflict(`Node ${uuid} does not have instance ${wanted}, for which the request is.`);
};
