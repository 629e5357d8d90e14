/** GET, PATCH and DELETE of /v1/ports/{ident}. */
import { isDeepStrictEqual } from 'node:util';

import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { refuseNewer, type Fields } from '../../../layers/domain/fields.ts';
import { pageQuery, readFields } from '../../../layers/domain/page.ts';
import { applyPatch, patchBody, readPatch, refuseUnpatchable, type PatchBody } from '../../../layers/domain/patch.ts';
import { port as portTable, type Port } from '../../../layers/domain/port.ts';
import { checkField } from '../../../layers/domain/schema.ts';
import { changePort, deletePort, type StoredPort } from '../../../layers/store/node-ports.ts';
import { findNode, type StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Deps } from '../route.ts';
import { findByIdent, type PortTarget } from './find.ts';
import { checkPortgroup, checkValues, checkWhole, refuseDelete, refuseEdit, refuseLocked } from './rules.ts';
import { portView } from './view.ts';

const portFields: Fields = portTable;

/** A port moves only between nodes of one owner. Throws Invalid (400), NodeLocked (409). */
const checkMove = async ({ table }: Deps, from: StoredNode, to: unknown): Promise<void> => {
  if (typeof to !== 'string' || to === from.uuid) return;
  const found = await findNode(table, to).catch((error: unknown) => {
    if (isFault(error) && error.code === 404) return undefined;
    throw error;
  });
  if (found?.owner !== from.owner) throw Invalid(`Node ${to} could not be found, or has another owner.`);
  refuseLocked(found);
};

const patchPort = async (deps: Deps, call: Call<PatchBody, PortTarget>): Promise<StoredPort> => {
  const { version, body, target } = call;
  const patch = readPatch(body, version);
  refuseUnpatchable(portFields, patch);
  refuseNewer(
    portFields,
    version,
    patch.map(({ pieces }) => pieces[0]),
  );
  return changePort(deps, target.port.uuid, async (stored, node) => {
    const values = Object.fromEntries(
      Object.entries(applyPatch(stored, patch)).map(([name, value]) => [name, checkField(portFields, name, value)]),
    );
    const changed = Object.keys(values).filter((name) => !isDeepStrictEqual(values[name], stored[name as keyof Port]));
    refuseEdit(node, changed, version);
    checkValues(values, version);
    checkWhole({ ...stored, ...values });
    await checkPortgroup(deps.table, values);
    await checkMove(deps, node, values['node_uuid']);
    return values;
  });
};

export const itemRoutes = [
  route<undefined, PortTarget>({
    at: 'GET /v1/ports/{ident}',
    policy: 'baremetal:port:get',
    query: { fields: pageQuery.fields },
    find: findByIdent,
    handle: async (_deps, call) => {
      const want = readFields(portFields, call.version, call.query) ?? 'all';
      return { body: portView(call, want)(call.target.port) };
    },
  }),
  route<PatchBody, PortTarget>({
    at: 'PATCH /v1/ports/{ident}',
    policy: 'baremetal:port:update',
    body: patchBody,
    find: findByIdent,
    handle: async (deps, call) => ({ body: portView(call, 'all')(await patchPort(deps, call)) }),
  }),
  route<undefined, PortTarget>({
    at: 'DELETE /v1/ports/{ident}',
    policy: 'baremetal:port:delete',
    find: findByIdent,
    handle: async (deps, { target }) => {
      await deletePort(deps, target.port.uuid, refuseDelete);
      return {};
    },
  }),
];
