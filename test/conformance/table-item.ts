/** Items for the cases of the table, and what a refused write says. */
import { randomUUID } from 'node:crypto';

import type { Item, Table } from '../../layers/platform/table.ts';

/** A key that no other case uses. */
export const fresh = (sk = 'it') => ({ pk: `test#${randomUUID()}`, sk });
export const put = async (table: Table, ...items: Item[]) => table.write(items.map((item) => ({ put: item })));
type Refusal = { name: string; code?: number; index?: number; item?: Item };
/** What a promise was refused with. */
export const refusal = async (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    () => ({ name: 'nothing was refused' }),
    (error: unknown) => error as Refusal,
  );
