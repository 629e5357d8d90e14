/** Allocations as paths name them and as they are shown. */
import { allocation as rows } from '../../../layers/domain/allocation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { logicalName } from '../../../layers/domain/values.ts';
import { findRecord } from '../../../layers/store/records/find.ts';
import { showing } from '../crud.ts';
import type { Deps } from '../route.ts';
import { type StoredAllocation, kinds } from '../../../layers/store/kinds/kinds.ts';

/** Makes the function that shows allocations as a caller asked for them. */
export const allocationView = showing<StoredAllocation>(rows, { at: 'allocations' });

/** By UUID or name. Throws NotFound (404), Invalid (400) for what can be neither. */
export const findAllocation = async (
  { table }: Pick<Deps, 'table'>,
  { ident = '' }: Readonly<Record<string, string>>,
): Promise<StoredAllocation> => {
  if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
  return findRecord(table, kinds.allocation, ident);
};
