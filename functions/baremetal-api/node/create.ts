/** POST /v1/nodes (ironic-api.md 2.4). */
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import { Forbidden } from '../../../layers/domain/fault.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { quoted } from '../../../layers/domain/foreign-text.ts';
import { checkInterfaces } from '../../../layers/domain/hardware-types.ts';
import { node } from '../../../layers/domain/node.ts';
import { secretsWrite } from '../../../layers/store/node-secrets.ts';
import { answersOf, readNew } from '../crud.ts';
import { type Call, type Deps, route } from '../route.ts';
import { readInstanceInfo } from './instance-info.ts';
import { resolveReferences } from './references.ts';
import { checkValues, checkWhole } from './rules.ts';
import { conceal, ownMasks, sealCredentials } from './secrets.ts';
import { toldBy } from './told.ts';
import { nodeView } from './view.ts';
import { isoTime, json } from '../../../layers/domain/values.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';

type Values = Record<string, unknown>;

const nodeFields: Fields = node;

/** Who enrols nodes for a project makes it their owner. Throws Forbidden (403) for another one. */
const ownerOf = ({ only }: Call<Values>, { owner = only }: Values): Values => {
  if (only === null) return {};
  if (owner !== only) throw Forbidden(`owner has to be your project, ${only}, or left out; it was ${quoted(owner)}.`);
  return { owner };
};

const readValues = (call: Call<Values>): Values => {
  const { body, version } = call;
  const asked = readNew(nodeFields, version, body, ownMasks);
  const values: Values = { ...asked, ...ownerOf(call, asked) };
  checkValues(values, version);
  checkWhole(values);
  checkInterfaces(values['driver'] as string, values);
  const info = values['instance_info'] as Values | undefined;
  return info ? { ...values, instance_info: readInstanceInfo(info, {}) } : values;
};

const enrol = async (deps: Deps, call: Call<Values>): Promise<StoredNode> => {
  const values = readValues(call);
  const uuid = (values['uuid'] as string | undefined) ?? deps.ids.uuid();
  const { owner } = values;
  const resolved = await resolveReferences(deps.table, values, { uuid, owner, subject: call.subject });
  const credentials = (values['driver_info'] ?? {}) as Values;
  const { info, values: sealed } = conceal(credentials, await sealCredentials(deps, uuid, credentials), {});
  const record = newNode({
    ...(resolved as Partial<StoredNode> & Pick<StoredNode, 'driver'>),
    uuid,
    driver_info: info,
    // Before 1.11 there was no enrolment.
    provision_state: call.version < 11 ? 'available' : 'enroll',
    created_at: isoTime(deps.clock.now()),
    position: deps.ids.ulid(),
  });
  const secrets = Object.keys(sealed).length > 0 ? [secretsWrite(uuid, { values: {}, revision: 0 }, sealed)] : [];
  const events = [toldBy(call.subject, 'Enrolled with', Object.keys(values))];
  await createRecord(deps, kinds.node, record, () => ({ also: secrets, events }));
  return record;
};

export const createRoute = route<Values>({
  at: 'POST /v1/nodes',
  policy: 'baremetal:node:create',
  own: 'baremetal:node:create:self_owned_node',
  ownIf: ({ config }) => config.projectAdminCanManageOwnNodes,
  status: 201,
  body: json,
  ...answersOf('nodes', nodeFields).record,
  handle: async (deps, call) => {
    const record = await enrol(deps, call);
    return { body: nodeView(deps, call, 'all')(record), location: `/v1/nodes/${record.uuid}` };
  },
});
