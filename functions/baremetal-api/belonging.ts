/**
 * The routes of what nodes have several of (ports, port groups, ...): create, show, patch, delete. Who may do what
 * follows from the owner and lessee of the node; when, from the node's state: the `rules` of the resource.
 */
import { isDeepStrictEqual } from 'node:util';

import { Forbidden, Invalid, isFault } from '../../layers/domain/fault.ts';
import { refuseNewer } from '../../layers/domain/fields.ts';
import { pageQuery, readFields } from '../../layers/domain/page.ts';
import { patchBody, type PatchBody } from '../../layers/domain/patch.ts';
import { allows, authorize, type Owned, ownOf, type Rule, type Subject } from '../../layers/domain/policy.ts';
import { isUuid, json, logicalName } from '../../layers/domain/values.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { findVisible } from './node/find.ts';
import { besideNode, changedNames, toldBy } from './node/told.ts';
import {
  answersOf,
  authorizeFields,
  readChanges,
  readNew,
  sealValues,
  showing,
  type Shows,
  type Values,
} from './crud.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import type { Kept, Kind } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord, createRecord, removeRecord } from '../../layers/store/records/change.ts';
import { findRecord, missing, readRecord } from '../../layers/store/records/find.ts';
import { refuseLocked } from '../../layers/store/reservation.ts';

type Belonging = Kept & { readonly node_uuid: string };

/** A change by PATCH: what is stored, what the patch makes of it, and the names of the fields that differ. */
export type Edit<R> = {
  readonly before: R;
  readonly after: R;
  readonly node: StoredNode;
  readonly changed: readonly string[];
  readonly version: number;
};

export type BelongingResource<R extends Belonging> = {
  readonly kind: Kind<R, StoredNode>;
  /** Its name in paths. */
  readonly collection: string;
  readonly since?: number;
  /** Microversion from which paths may name it by its name; without it always. */
  readonly namesSince?: number;
  /** Microversion from which POST takes `node_ident`, UUID or name, in place of `node_uuid`. */
  readonly nodeIdentSince?: number;
  readonly policy: Readonly<Record<'get' | 'create' | 'update' | 'delete', Rule>>;
  readonly rules: {
    /** Refuses given values, each alone, by throwing. */
    values?(values: Values, version: number): void;
    /** Refuses it as a whole, new or changed (`before` is what it was), by throwing. */
    whole?(deps: Deps, record: R, before?: R): Promise<void>;
    /** Refuses a change that does not fit the node's state, by throwing. */
    edit(edit: Edit<R>): void;
    /** Refuses the removal by throwing. */
    remove(deps: Deps, record: R, node: StoredNode): void | Promise<void>;
  };
};

export type BelongingTarget<R> = { readonly record: R; readonly node: StoredNode };

/**
 * Whose things a request is about: those of a node. Without a target it is a list or a POST, whose nodes are the
 * project's or the caller sees those of all projects.
 */
export const ownedBy = ({ target, subject }: Pick<Call, 'target' | 'subject'>): Owned => {
  const found = target as { readonly node?: Owned } | undefined;
  return found?.node ?? (target as Owned | undefined) ?? ownOf(subject) ?? {};
};

/** Makes the function that shows them as a caller asked for them, who sees of them what the node's owner decides. */
export const belongingView =
  <R extends Belonging>({ kind, collection }: Pick<BelongingResource<R>, 'kind' | 'collection'>): Shows<R> =>
  (call, want) =>
    showing<R>(kind.fields, { at: collection, owned: ownedBy(call) })(call, want);

/**
 * Makes the `find` of paths with `{ident}`: by UUID or name, with its node. It throws NotFound (404), and Invalid (400)
 * for what can be neither, such as a MAC address.
 */
export const belongingFinder =
  <R extends Belonging>({ kind, namesSince = 1 }: Pick<BelongingResource<R>, 'kind' | 'namesSince'>) =>
  async (
    { table }: Pick<Deps, 'table'>,
    { ident = '' }: Readonly<Record<string, string>>,
    version: number,
  ): Promise<BelongingTarget<R>> => {
    if (!kind.fields['name'] && !isUuid(ident)) throw Invalid(`Expected a UUID but received ${ident}.`);
    if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
    const unknown = missing(kind, ident);
    if (version < namesSince && !isUuid(ident)) throw unknown;
    const record = await findRecord(table, kind, ident);
    const node = await readRecord(table, kinds.node, record.node_uuid);
    if (!node) throw unknown;
    return { record, node };
  };

/**
 * The node that a new one goes to. Throws Invalid (400) for one that does not exist: the request is at fault, not its
 * path; and Forbidden (403) for one that the caller may not see. Who sees some nodes only is told the same of both.
 */
const homeOf = async (deps: Deps, subject: Subject, ident: unknown): Promise<StoredNode> => {
  if (typeof ident !== 'string') throw Invalid('Missing mandatory parameter: node_uuid.');
  return findVisible(deps, subject, ident).catch((error: unknown) => {
    if (!isFault(error) || error.code !== 404) throw error;
    if (allows('baremetal:node:list_all', subject)) throw Invalid(error.message, error);
    throw Forbidden(`Node ${ident} could not be found, or you may not use it.`, error);
  });
};

/** As the history of the node calls it. */
const nameOf = ({ title }: Pick<Kind<never>, 'title'>, { uuid }: Belonging): string => `${title.toLowerCase()} ${uuid}`;

const create = async <R extends Belonging>(
  deps: Deps,
  { kind, nodeIdentSince, policy, rules }: BelongingResource<R>,
  { body, version, subject }: Call<Values>,
): Promise<R> => {
  const { node_ident: ident, ...rest } = body;
  const byIdent = nodeIdentSince !== undefined;
  refuseNewer(
    { ...kind.fields, ...(byIdent && { node_ident: { since: nodeIdentSince } }) },
    version,
    Object.keys(body),
  );
  const home = await homeOf(deps, subject, (byIdent ? ident : undefined) ?? body['node_uuid']);
  authorize(policy.create, subject, home, home.uuid);
  const values = readNew(kind.fields, version, { ...(byIdent ? rest : body), node_uuid: home.uuid });
  rules.values?.(values, version);
  const record = newRecord(deps, kind, values);
  await createRecord(deps, kind, await sealValues(deps, kind.fields, record.uuid, record), async (node) => {
    refuseLocked(node);
    await rules.whole?.(deps, record);
    return besideNode(deps, node, toldBy(subject, `Created ${nameOf(kind, record)} with`, Object.keys(values)));
  });
  return record;
};

/** It moves only between nodes of one owner that the caller may see. Throws Invalid (400), NodeLocked (409). */
const checkMove = async ({ table }: Deps, subject: Subject, from: StoredNode, to: string): Promise<void> => {
  if (to === from.uuid) return;
  const found = await readRecord(table, kinds.node, to);
  if (found?.owner !== from.owner || !allows('baremetal:node:get', subject, found)) {
    throw Invalid(`Node ${to} could not be found, or has another owner.`);
  }
  refuseLocked(found);
};

const patch = async <R extends Belonging>(
  deps: Deps,
  { kind, rules }: BelongingResource<R>,
  call: Call<PatchBody, BelongingTarget<R>>,
): Promise<R> => {
  const { version, target } = call;
  const changes = readChanges(kind.fields, call);
  const changed = await changeRecord(deps, kind, target.record.uuid, async (before, node) => {
    const values = changes(before);
    authorizeFields(kind.fields, values, call.subject, node);
    const after: R = { ...before, ...values };
    const changed = Object.keys(values).filter((name) => !isDeepStrictEqual(values[name], before[name as keyof R]));
    rules.edit({ before, after, node, changed, version });
    rules.values?.(values, version);
    await rules.whole?.(deps, after, before);
    await checkMove(deps, call.subject, node, after.node_uuid);
    const line = toldBy(call.subject, `Changed of ${nameOf(kind, before)}`, changedNames(before, values));
    const set = (await sealValues(deps, kind.fields, before.uuid, values, before)) as Partial<R>;
    return { set, ...(changed.length > 0 && besideNode(deps, node, line)) };
  });
  return changed.after;
};

const writeRoutes = <R extends Belonging>(
  resource: BelongingResource<R>,
  find: ReturnType<typeof belongingFinder<R>>,
): Route[] => {
  const { kind, collection, since = 1, policy, rules } = resource;
  const view = belongingView(resource);
  return [
    route<Values>({
      at: `POST /v1/${collection}`,
      since,
      policy: policy.create,
      own: policy.create,
      status: 201,
      body: json,
      ...answersOf(collection, kind.fields).record,
      handle: async (deps, call) => {
        const record = await create(deps, resource, call);
        return { body: view(call, 'all')(record), location: `/v1/${collection}/${record.uuid}` };
      },
    }),
    route<PatchBody, BelongingTarget<R>>({
      at: `PATCH /v1/${collection}/{ident}`,
      since,
      policy: policy.update,
      title: kind.title,
      body: patchBody,
      ...answersOf(collection, kind.fields).record,
      find,
      handle: async (deps, call) => ({ body: view(call, 'all')(await patch(deps, resource, call)) }),
    }),
    route<undefined, BelongingTarget<R>>({
      at: `DELETE /v1/${collection}/{ident}`,
      since,
      policy: policy.delete,
      title: kind.title,
      find,
      handle: async (deps, { target, subject }) => {
        await removeRecord(deps, kind, target.record.uuid, async (record, node) => {
          refuseLocked(node);
          await rules.remove(deps, record, node);
          return besideNode(deps, node, toldBy(subject, 'Deleted', [nameOf(kind, record)]));
        });
        return {};
      },
    }),
  ];
};

/** The routes of one resource; its lists have filters of their own. */
export const belongingRoutes = <R extends Belonging>(resource: BelongingResource<R>): Route[] => {
  const { kind, collection, since = 1, policy } = resource;
  const view = belongingView(resource);
  const find = belongingFinder<R>(resource);
  return [
    route<undefined, BelongingTarget<R>>({
      at: `GET /v1/${collection}/{ident}`,
      since,
      policy: policy.get,
      title: kind.title,
      query: { fields: pageQuery.fields },
      ...answersOf(collection, kind.fields).record,
      find,
      handle: async (_deps, call) => {
        const want = readFields(kind.fields, call.version, call.query) ?? 'all';
        return { body: view(call, want)(call.target.record) };
      },
    }),
    ...writeRoutes(resource, find),
  ];
};
