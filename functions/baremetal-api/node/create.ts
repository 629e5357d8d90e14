/** POST /v1/nodes (ironic-api.md 2.4). */
import { Forbidden } from '../../../layers/domain/fault.ts';
import { refuseNewer, type Fields } from '../../../layers/domain/fields.ts';
import { checkInterfaces, defaultInterfaces } from '../../../layers/domain/hardware-types.ts';
import { node } from '../../../layers/domain/node.ts';
import { check, createSchema } from '../../../layers/domain/schema.ts';
import { json } from '../../../layers/domain/values.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { secretsWrite } from '../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { answersOf } from '../crud.ts';
import { route, type Call, type Deps } from '../route.ts';
import { readInstanceInfo } from './instance-info.ts';
import { resolveReferences } from './references.ts';
import { checkValues, checkWhole } from './rules.ts';
import { conceal, sealCredentials } from './secrets.ts';
import { nodeView } from './view.ts';

type Values = Record<string, unknown>;

const nodeFields: Fields = node;

const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? null) !== null));

/** Who enrols nodes for a project makes it their owner. Throws Forbidden (403) for another one. */
const ownerOf = ({ only }: Call<Values>, { owner = only }: Values): Values => {
  if (only === null) return {};
  if (owner !== only) throw Forbidden(`owner has to be your project, ${only}, or left out; it was ${String(owner)}.`);
  return { owner };
};

const read = (call: Call<Values>): Values => {
  const { body, version } = call;
  refuseNewer(nodeFields, version, Object.keys(body));
  const asked = given(check(createSchema(nodeFields, version), body));
  const values: Values = { ...asked, ...ownerOf(call, asked) };
  checkValues(values, version);
  checkWhole(values);
  checkInterfaces(values['driver'] as string, values);
  const info = values['instance_info'] as Values | undefined;
  return info ? { ...values, instance_info: readInstanceInfo(info, {}) } : values;
};

/** Before 1.11 there was no enrolment. */
const firstState = (version: number) => (version < 11 ? 'available' : 'enroll');

const create = async (deps: Deps, call: Call<Values>): Promise<StoredNode> => {
  const values = read(call);
  const uuid = (values['uuid'] as string | undefined) ?? deps.ids.uuid();
  const { owner } = values;
  const resolved = await resolveReferences(deps.table, values, { uuid, owner, subject: call.subject });
  const credentials = (values['driver_info'] ?? {}) as Values;
  const { info, values: sealed } = conceal(credentials, await sealCredentials(deps, uuid, credentials), {});
  const record = newRecord(deps, kinds.node, {
    ...defaultInterfaces(values['driver'] as string),
    provision_state: firstState(call.version),
    ...resolved,
    uuid,
    driver_info: info,
  });
  const hasSecrets = Object.keys(sealed).length > 0;
  await createRecord(deps, kinds.node, record, () => ({
    also: hasSecrets ? [secretsWrite(uuid, { values: {}, revision: 0 }, sealed)] : [],
  }));
  return record;
};

export const createRoute = route<Values>({
  at: 'POST /v1/nodes',
  policy: 'baremetal:node:create',
  own: 'baremetal:node:create:self_owned_node',
  ownIf: ({ projectAdminCanManageOwnNodes }) => projectAdminCanManageOwnNodes,
  status: 201,
  body: json,
  ...answersOf('nodes', nodeFields).record,
  handle: async (deps, call) => {
    const record = await create(deps, call);
    return { body: nodeView(deps, call, 'all')(record), location: `/v1/nodes/${record.uuid}` };
  },
});
