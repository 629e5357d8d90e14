/** From the `{ident}` of a path to the port and its node, whose owner and lessee decide who may see it. */
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { isUuid, logicalName } from '../../../layers/domain/values.ts';
import { findPort, type StoredPort } from '../../../layers/store/node-ports.ts';
import { readNode, type StoredNode } from '../../../layers/store/nodes.ts';
import type { Deps } from '../route.ts';

export type PortTarget = { readonly port: StoredPort; readonly node: StoredNode };

/** By UUID, or by name since 1.88. Throws NotFound (404), and Invalid (400) for what is neither, such as a MAC. */
export const findByIdent = async (
  { table }: Pick<Deps, 'table'>,
  params: Readonly<Record<string, string>>,
  version: number,
): Promise<PortTarget> => {
  const ident = params['ident'] ?? '';
  if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
  const missing = NotFound(`Port ${ident} could not be found.`);
  if (version < 88 && !isUuid(ident)) throw missing;
  const port = await findPort(table, ident);
  const node = await readNode(table, port.node_uuid);
  if (!node) throw missing;
  return { port, node };
};
