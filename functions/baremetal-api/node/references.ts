/** What a node refers to has to exist. */
import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { findRecord } from '../../../layers/store/records/find.ts';

/** Whether there is a chassis of this UUID. */
export const chassisExists = async (table: Table, uuid: string): Promise<boolean> =>
  (await table.get(keyOf(kinds.chassis, uuid.toLowerCase()))) !== undefined;

/** What refers: a node that has this owner, by the request of this caller. */
type Referrer = { readonly uuid: string; readonly owner: unknown; readonly subject: Subject };

/** A parent that the caller may not see is as good as none. */
const parentOf = async (table: Table, ident: string, { owner, subject }: Referrer): Promise<StoredNode> => {
  const parent = await findRecord(table, kinds.node, ident).catch((error: unknown) => {
    if (isFault(error) && error.code === 404) return undefined;
    throw error;
  });
  if (!parent || parent.owner !== (owner ?? null) || !allows('baremetal:node:get', subject, parent)) {
    throw Invalid(`parent_node ${ident} could not be found, or has another owner.`);
  }
  return parent;
};

/**
 * The values with parent_node as a UUID (a name is accepted). `owner` is the owner that the node will have. Throws
 * Invalid (400) for a chassis or parent that does not exist, a parent that is not visible or has another owner, and for
 * a node that is its own parent.
 */
export const resolveReferences = async (
  table: Table,
  values: Readonly<Record<string, unknown>>,
  referrer: Referrer,
): Promise<Record<string, unknown>> => {
  const { chassis_uuid: chassis, parent_node: parent } = values;
  if (typeof chassis === 'string' && !(await chassisExists(table, chassis))) {
    throw Invalid(`Chassis ${chassis} could not be found.`);
  }
  if (typeof parent !== 'string') return { ...values };
  const found = await parentOf(table, parent, referrer);
  if (found.uuid === referrer.uuid) throw Invalid('A node can not be its own parent_node.');
  return { ...values, parent_node: found.uuid };
};
