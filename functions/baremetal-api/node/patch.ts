/** PATCH /v1/nodes/{ident} (ironic-api.md 2.5): everything is decided on the node as it is stored, test-and-set. */
import { released } from '../../../layers/domain/allocation.ts';
import { Invalid, isRefusal } from '../../../layers/domain/fault.ts';
import { type Fields, refuseNewer, rulesOf } from '../../../layers/domain/fields.ts';
import { checkInterfaces, defaultInterfaces } from '../../../layers/domain/hardware-types.ts';
import { unmaskField } from '../../../layers/domain/masking.ts';
import { node } from '../../../layers/domain/node.ts';
import { readBool } from '../../../layers/domain/page.ts';
import {
  applyPatch,
  patchBody,
  type PatchBody,
  readPatch,
  refuseUnpatchable,
  type Step,
} from '../../../layers/domain/patch.ts';
import { allows, authorize } from '../../../layers/domain/policy.ts';
import { checkField } from '../../../layers/domain/schema.ts';
import { bool, json } from '../../../layers/domain/values.ts';
import { drop } from '../../../layers/domain/notes.ts';
import { answersOf, readValue } from '../crud.ts';
import { type Call, type Deps, route } from '../route.ts';
import { findByIdent } from './find.ts';
import { requireInstance } from './for-instance.ts';
import { readInstanceInfo } from './instance-info.ts';
import { leaseTo } from './lessee.ts';
import { refuseEdit, refuseUneditable } from './patch-rules.ts';
import { resolveReferences } from './references.ts';
import { checkValues, checkWhole, refuseChassisRemoval } from './rules.ts';
import { conceal, ownMasks, refuseOtherBmc, sealCredentials, type Sealed } from './secrets.ts';
import { nodeView } from './view.ts';
import { followGuest } from '../../../layers/store/guest-documents.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { Secrets } from '../../../layers/store/kinds/companions.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

type Values = Record<string, unknown>;

const nodeFields: Fields = node;
type PatchCall = Call<PatchBody, StoredNode>;

/** What is asked for: the patch, and what goes with it. */
type Request = {
  readonly patch: readonly Step[];
  readonly resetInterfaces: boolean;
  /** The project of the instance becomes the lessee, as by a deploy. */
  readonly lease: boolean;
};

/** The same with what had to be read and sealed before it can be decided upon. */
type Prepared = Request & {
  readonly references: Values;
  readonly unownedAllocation: string | null;
  readonly sealed: Sealed;
  readonly secrets: Secrets;
};

const fieldsOf = (patch: readonly Step[]) => [...new Set(patch.map(({ pieces }) => pieces[0]))];
const isInterface = (name: string) => name.endsWith('_interface');

/** Clients may write booleans as text, too. */
const forbidsCleaning = ({ pieces: [field], value }: Step) =>
  field === 'automated_clean' && bool.safeParse(value).data === false;

/** Fields may have a rule of their own; one refusal refuses the request. */
const authorizePaths = (before: StoredNode, { subject, params }: PatchCall, { patch, lease }: Request): void => {
  const fields = [...fieldsOf(patch), ...(lease ? ['lessee'] : [])];
  const rules = rulesOf(nodeFields, fields, 'baremetal:node:update');
  // A patch without paths would ask for nothing.
  if (rules.length === 0) rules.push('baremetal:node:update');
  if (patch.some(forbidsCleaning)) rules.push('baremetal:node:disable_cleaning');
  for (const rule of rules) authorize(rule, subject, before, params['ident']);
};

const readRequest = (call: PatchCall): Request => {
  const patch = readPatch(call.body, call.version);
  refuseUnpatchable(nodeFields, patch);
  refuseNewer(nodeFields, call.version, fieldsOf(patch));
  const resetInterfaces = readBool(call.query, 'reset_interfaces') ?? false;
  if (resetInterfaces && !fieldsOf(patch).includes('driver')) {
    throw Invalid('reset_interfaces can only be used together with a change of the driver.');
  }
  const lease = readBool(call.query, 'automatic_lessee') ?? false;
  if (lease) refuseNewer(nodeFields, call.version, ['lessee']);
  return { patch, resetInterfaces, lease };
};

/** A mask stands for what is sealed, but for a secret of an older version that lies in the record as it came. */
const readOwnMasks = (name: string, value: unknown, stored: StoredNode): unknown =>
  checkField(nodeFields, name, name === 'driver_info' ? unmaskField(true, value, stored.driver_info) : value);

/** The touched fields as the patch leaves them on this node, each checked by its row. */
const valuesOf = (stored: StoredNode, patch: readonly Step[], version: number): Values => {
  const raw = applyPatch(stored, patch, nodeFields);
  refuseChassisRemoval(raw, version);
  const values = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [
      name,
      ownMasks.includes(name) ? readOwnMasks(name, value, stored) : readValue(nodeFields, name, value, stored),
    ]),
  );
  checkValues(values, version);
  return values;
};

/** What the new values bring with them. */
const consequences = (before: StoredNode, values: Values, version: number): Values => ({
  // Whose word this is stays, whatever becomes of the instance.
  ...(values['lessee'] !== undefined && drop(before, 'automatic_lessee')),
  ...(values['maintenance'] === false && { maintenance_reason: null, fault: null }),
  ...(values['protected'] === false && { protected_reason: null }),
  ...(values['retired'] === false && { retired_reason: null }),
  ...(version >= 104 && before.instance_name === null && values['instance_name'] === undefined
    ? displayName(values['instance_info'])
    : {}),
});

const displayName = (info: unknown): Values => {
  const name = (info as Values | undefined)?.['display_name'];
  return typeof name === 'string' && name !== '' ? { instance_name: name.slice(0, 255) } : {};
};

/** The interfaces that change: reset to the new driver's, or given; null becomes the default. */
const interfacesOf = (before: StoredNode, values: Values, reset: boolean): Values => {
  const driver = (values['driver'] as string | undefined) ?? before.driver;
  const touched = Object.keys(values).filter(isInterface);
  if (touched.length === 0 && values['driver'] === undefined) return {};
  const standard: Values = defaultInterfaces(driver);
  const given = Object.fromEntries(touched.map((name) => [name, values[name] ?? standard[name]]));
  const next = reset ? { ...standard, ...given } : given;
  checkInterfaces(driver, { ...before, ...next });
  return next;
};

/** Ironic lets an operator detach an instance from a node in maintenance, whatever state it is in. */
const isDetach = (stored: StoredNode, patch: readonly Step[]) =>
  stored.maintenance && patch.length === 1 && patch[0]!.name === 'remove /instance_uuid';

/** An instance that is removed takes the allocation along that brought it; the store deletes that with the same write. */
const lostAllocation = (before: StoredNode, after: StoredNode): Partial<StoredNode> =>
  before.allocation_uuid === null ? {} : released(after);

/** Its owner, its lessee or its state may forbid the change of a node. They are asked of the node that is written. */
const admit = (before: StoredNode, call: PatchCall, request: Request & Partial<Prepared>) => {
  const { version, subject } = call;
  const { patch, unownedAllocation = null } = request;
  requireInstance(call, before);
  authorizePaths(before, call, request);
  const mayChangeOwner = allows('baremetal:node:update_owner_provisioned', subject, before);
  const edit = { before, version, mayChangeOwner, unownedAllocation };
  if (!isDetach(before, patch)) refuseUneditable(edit);
  return edit;
};

const decide = (before: StoredNode, call: PatchCall, prepared: Prepared): Change<StoredNode> => {
  const { patch, references, sealed, secrets } = prepared;
  const edit = admit(before, call, prepared);
  if (isDetach(before, patch)) return { set: { instance_uuid: null, ...lostAllocation(before, before) } };
  const values = { ...valuesOf(before, patch, call.version), ...references };
  if (values['driver_info']) refuseOtherBmc(before, values['driver_info'] as Values);
  const info = values['instance_info'] as Values | undefined;
  const hidden = values['driver_info'] ? conceal(values['driver_info'] as Values, sealed, secrets.values) : undefined;
  const set = {
    ...values,
    ...(info && { instance_info: readInstanceInfo(info, before.instance_info) }),
    ...(hidden && { driver_info: hidden.info }),
    ...interfacesOf(before, values, prepared.resetInterfaces),
    ...consequences(before, values, call.version),
  } as Partial<StoredNode>;
  if (values['instance_uuid'] === null) Object.assign(set, lostAllocation(before, { ...before, ...set }));
  if (prepared.lease) Object.assign(set, leaseOf({ ...before, ...set }, call));
  const after: StoredNode = { ...before, ...set };
  checkWhole(after);
  refuseEdit({ ...edit, after });
  return { set, ...(hidden && { also: [secretsWrite(before.uuid, secrets, hidden.values)] }) };
};

/** A node without an instance would keep its lessee: only undeploy takes one away that came like this. */
const leaseOf = (after: StoredNode, { subject }: PatchCall): Partial<StoredNode> =>
  after.instance_uuid === null ? {} : leaseTo(after, subject, 'instance');

const nothingSealed: Pick<Prepared, 'sealed' | 'secrets'> = { sealed: new Map(), secrets: { values: {}, revision: 0 } };

/** Sealed values are read and made only for a patch of driver_info. */
const seal = async (
  deps: Deps,
  { uuid, driver_info: stored }: StoredNode,
  touched: Values,
): Promise<Pick<Prepared, 'sealed' | 'secrets'>> => {
  if (!('driver_info' in touched)) return nothingSealed;
  const info = json.safeParse(unmaskField(true, touched['driver_info'], stored)).data ?? {};
  const [secrets, sealed] = await Promise.all([readSecrets(deps.table, uuid), sealCredentials(deps, uuid, info)]);
  return { secrets, sealed };
};

const resolveParent = async (deps: Deps, { subject, target: stored }: PatchCall, touched: Values): Promise<Values> => {
  const { chassis_uuid, parent_node, owner = stored.owner } = touched;
  const referrer = { uuid: stored.uuid, owner, subject };
  const resolved = await resolveReferences(deps.table, { chassis_uuid, parent_node }, referrer);
  return typeof parent_node === 'string' ? { parent_node: resolved['parent_node'] } : {};
};

/** The node's allocation, if it belongs to nobody. */
const unowned = async ({ table }: Deps, { allocation_uuid: uuid }: StoredNode): Promise<string | null> => {
  const allocation = uuid === null ? undefined : await table.get(keyOf(kinds.allocation, uuid));
  return allocation && (allocation['owner'] ?? null) === null ? uuid : null;
};

/** Reads and seals what the decision needs, which itself must not wait for anything. */
const prepare = async (deps: Deps, call: PatchCall): Promise<Prepared> => {
  const request = readRequest(call);
  admit(call.target, call, request);
  const touched = applyPatch(call.target, request.patch, nodeFields);
  const references = await resolveParent(deps, call, touched);
  const unownedAllocation = 'owner' in touched ? await unowned(deps, call.target) : null;
  return { ...request, references, unownedAllocation, ...(await seal(deps, call.target, touched)) };
};

/** Whether somebody else has changed the sealed values since they were read for this patch. */
const isOutdated = async ({ table }: Deps, uuid: string, { secrets }: Prepared): Promise<boolean> =>
  secrets !== nothingSealed.secrets && (await readSecrets(table, uuid)).revision !== secrets.revision;

/** 20 losses in a row mean something is wrong; each loss means that somebody else has made progress. */
const maxTries = 20;

const patchNode = async (deps: Deps, call: PatchCall): Promise<StoredNode> => {
  const { uuid } = call.target;
  for (let attempt = 1; ; attempt += 1) {
    const prepared = await prepare(deps, call);
    try {
      return await followGuest(
        deps,
        await changeRecord(deps, kinds.node, uuid, (stored) => decide(stored, call, prepared)),
      );
    } catch (error) {
      // Whatever was refused, it may have been because of sealed values that are not those of the node any more. What
      // was not refused may have been done: not twice.
      if (attempt >= maxTries || !isRefusal(error) || !(await isOutdated(deps, uuid, prepared))) throw error;
    }
  }
};

export const patchRoute = route<PatchBody, StoredNode>({
  at: 'PATCH /v1/nodes/{ident}',
  movesIn: true,
  fenced: false,
  // What may be changed has a rule for each path; this is the gate before them.
  policy: 'baremetal:node:get',
  query: {
    reset_interfaces: { since: 45 },
    automatic_lessee: { doc: 'Whether the project of the instance becomes the lessee of the node, if it has none.' },
  },
  ...answersOf('nodes', nodeFields).record,
  body: patchBody,
  find: findByIdent,
  handle: async (deps, call) => ({ body: nodeView(deps, call, 'all')(await patchNode(deps, call)) }),
});
