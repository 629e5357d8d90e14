/** From the `{ident}` of a path to the node. */
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { authorize, type Subject } from '../../../layers/domain/policy.ts';
import { isUuid, logicalName } from '../../../layers/domain/values.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { findRecord } from '../../../layers/store/records/find.ts';
import type { Deps } from '../route.ts';

/**
 * `find` of every route below /v1/nodes/{ident}: by UUID, or by name since 1.5. Throws NotFound (404), and Invalid
 * (400) for what can be neither.
 */
export const findByIdent = async (
  { table }: Pick<Deps, 'table'>,
  params: Readonly<Record<string, string>>,
  version: number,
): Promise<StoredNode> => {
  const ident = params['ident'] ?? '';
  if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
  if (version < 5 && !isUuid(ident)) throw NotFound(`Node ${ident} could not be found.`);
  return findRecord(table, kinds.node, ident);
};

/** The node that a query or a body names. Throws NotFound (404), also for one that the caller may not see. */
export const findVisible = async (
  { table }: Pick<Deps, 'table'>,
  subject: Subject,
  ident: string,
): Promise<StoredNode> => {
  const found = await findRecord(table, kinds.node, ident);
  authorize('baremetal:node:get', subject, found, ident);
  return found;
};
