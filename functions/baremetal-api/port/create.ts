/** POST /v1/ports. */
import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { defaults, refuseNewer, type Fields } from '../../../layers/domain/fields.ts';
import { port } from '../../../layers/domain/port.ts';
import { check, createSchema } from '../../../layers/domain/schema.ts';
import { json } from '../../../layers/domain/values.ts';
import { createPort, type StoredPort } from '../../../layers/store/node-ports.ts';
import { findNode, isoTime, type StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Deps } from '../route.ts';
import { checkPortgroup, checkValues, checkWhole, refuseLocked } from './rules.ts';
import { portView } from './view.ts';

type Values = Record<string, unknown>;

const portFields: Fields = port;

/** node_ident names the node by UUID or name; it is not a field of the port. */
const accepted: Fields = { ...portFields, node_ident: { ...port.node_uuid, since: 94 } };

const homeOf = async ({ table }: Deps, { node_uuid, node_ident }: Values): Promise<StoredNode> => {
  const ident = node_ident ?? node_uuid;
  if (typeof ident !== 'string') throw Invalid('Missing mandatory parameter: node_uuid.');
  return findNode(table, ident).catch((error: unknown) => {
    // The request is at fault, not its path.
    throw isFault(error) && error.code === 404 ? Invalid(error.message, error) : error;
  });
};

const create = async (deps: Deps, call: Call<Values>): Promise<StoredPort> => {
  const { body, version } = call;
  refuseNewer(accepted, version, Object.keys(body));
  const home = await homeOf(deps, body);
  const { node_ident: _ident, ...given } = body;
  const values = check(createSchema(portFields, version), { ...given, node_uuid: home.uuid });
  checkValues(values, version);
  checkWhole(values);
  await checkPortgroup(deps.table, values);
  const record = {
    ...defaults(portFields),
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? null) !== null)),
    uuid: (values['uuid'] as string | undefined) ?? deps.ids.uuid(),
    created_at: isoTime(deps.clock.now()),
    position: deps.ids.ulid(),
    revision: 1,
  } as unknown as StoredPort;
  await createPort(deps, record, refuseLocked);
  return record;
};

export const createRoute = route<Values>({
  at: 'POST /v1/ports',
  policy: 'baremetal:port:create',
  status: 201,
  body: json,
  handle: async (deps, call) => {
    const record = await create(deps, call);
    return { body: portView(call, 'all')(record), location: `/v1/ports/${record.uuid}` };
  },
});
