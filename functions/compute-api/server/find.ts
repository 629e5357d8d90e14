/** How the server is found that a path names. */
import { NotFound } from '../../../layers/domain/fault.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Deps } from '../route.ts';

/** What one that is not there is told with, and one that is another project's. */
const missingServer = (id: string) => NotFound(`Instance ${id} could not be found.`);

/** By UUID; names are not ids. Throws NotFound (404). */
export const findServer = async ({ table }: Deps, params: Readonly<Record<string, string>>): Promise<StoredServer> => {
  const id = params['server_id']!;
  const found = isUuid(id) ? await readRecord(table, computeKinds.server, id.toLowerCase()) : undefined;
  if (!found) throw missingServer(id);
  return found;
};
