/** Which node a ramdisk runs on, by what it knows of its machine. */
import { Invalid } from '../../layers/domain/fault.ts';
import { isUuid } from '../../layers/domain/values.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { readRecordBy } from '../../layers/store/records/find.ts';
import type { Call, Deps } from './route.ts';

/** MAC addresses in one request: more than any machine has, fewer than help to sweep a fleet. */
export const maxAddresses = 64;

/** The nodes that have a port with one of these MAC addresses. Throws Invalid (400) for too many. */
export const uuidsByAddress = async ({ table }: Deps, addresses: readonly string[]): Promise<string[]> => {
  const wanted = [...new Set(addresses)];
  if (wanted.length > maxAddresses) throw Invalid(`At most ${maxAddresses} MAC addresses can be looked for at once.`);
  const ports = await Promise.all(
    wanted.map(async (address) => readRecordBy(table, kinds.port, 'port_address', address)),
  );
  return [...new Set(ports.flatMap((port) => (port ? [port.node_uuid] : [])))];
};

/** The parameter `node_uuid` in lower case; undefined without it, and empty if it is. Throws Invalid (400). */
export const readUuid = ({ query }: Call): string | undefined => {
  const [uuid] = query['node_uuid'] ?? [];
  if (uuid && !isUuid(uuid)) throw Invalid('node_uuid must be a UUID.');
  return uuid?.toLowerCase();
};
