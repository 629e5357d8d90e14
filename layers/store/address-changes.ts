/**
 * Ports whose addresses are not those any more that their machine was told of. The note is written in the transaction of
 * the change, so that it is never lost; who rewrites what the machine is told takes it away, unless there is a newer one.
 * It names the port, for which server has that is only known when somebody looks (DESIGN.md 10).
 */
import type { Ids } from '../platform/platform.ts';
import { equals, isConditionFailed, type Table, type Write } from '../platform/table.ts';

const partition = 'address_change';

/** `mark`: of the newest change. */
export type AddressChange = { readonly port: string; readonly mark: string };

/** The write that tells of a change. */
export const tellChange = (port: string, ids: Ids): Write => ({
  put: { pk: partition, sk: port, mark: ids.ulid() },
});

/** What is not settled yet, in the order of ports: at most `limit`, behind that of the port `after`. */
export const openChanges = async (
  table: Table,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<AddressChange[]> => {
  const items = await table.query({ partition, limit, ...(after !== undefined && { after }) });
  return items.map(({ sk, mark }) => ({ port: sk, mark: mark as string }));
};

/** The newest change of a port that is not settled; undefined if all are. */
export const openChange = async (table: Table, port: string): Promise<AddressChange | undefined> => {
  const item = await table.get({ pk: partition, sk: port });
  return item && { port, mark: item['mark'] as string };
};

/** Ends a change; false if there was another one meanwhile, which then has to be looked at. */
export const settleChange = async (table: Table, { port, mark }: AddressChange): Promise<boolean> => {
  try {
    await table.write([{ delete: { pk: partition, sk: port }, when: [equals('mark', mark)] }]);
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    return error.item === undefined;
  }
};
