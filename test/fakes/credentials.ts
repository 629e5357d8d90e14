/** What is sealed for a node, as the proxy opens it. */
import { openFor } from '../../layers/bmc/seal.ts';
import type { Opener } from '../../layers/platform/platform.ts';
import type { Table } from '../../layers/platform/table.ts';
import { keyOf } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { readSecrets } from '../../layers/store/node-secrets.ts';

type Needs = { readonly table: Pick<Table, 'get'>; readonly opener: Opener };

/** The secret of this name in plain, for whom the node's driver_info sends it to now. Throws Unsealable. */
export const openStored = async ({ table, opener }: Needs, uuid: string, name: string): Promise<string> => {
  const [{ values }, node] = await Promise.all([readSecrets(table, uuid), table.get(keyOf(kinds.node, uuid))]);
  return openFor(opener, values[name] ?? '', { node: uuid, name }, node?.['driver_info'] as Record<string, unknown>);
};
