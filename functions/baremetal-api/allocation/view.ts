/** Allocations as paths name them and as they are shown. */
import { allocation as rows } from '../../../layers/domain/allocation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { logicalName } from '../../../layers/domain/values.ts';
import { allocations, type StoredAllocation } from '../../../layers/store/allocations.ts';
import { showing } from '../crud.ts';
import type { Deps } from '../route.ts';

/** Makes the function that shows allocations as a caller asked for them. */
export const allocationView = showing<StoredAllocation>(rows, { at: 'allocations' });

/** By UUID or name. Throws NotFound (404), Invalid (400) for what can be neither. */
export const findAllocation = async (
  { table }: Pick<Deps, 'table'>,
  { ident = '' }: Readonly<Record<string, string>>,
): Promise<StoredAllocation> => {
  if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
  return allocations.find(table, ident);
};
