/**
 * What resources have in common, read from their field tables: how a new record is made, how a patch is read
 * (ironic-api.md 1.7), how lists are answered, and the routes of those that are nothing but their fields.
 */
import { sealParts } from '../../layers/bmc/sealed-parts.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { type Fields, refuseNewer, rulesOf } from '../../layers/domain/fields.ts';
import { type Filters, filtersOf, selectBy, readsOf } from '../../layers/domain/filters.ts';
import {
  nextLink,
  type Page,
  pageQuery,
  type Query,
  readFields,
  readPage,
  readWant,
} from '../../layers/domain/page.ts';
import { hasMask, unmaskField } from '../../layers/domain/masking.ts';
import { applyPatch, patchBody, type PatchBody, readPatch, refuseUnpatchable } from '../../layers/domain/patch.ts';
import { allows, denied, type Owned, type Rule, type Subject } from '../../layers/domain/policy.ts';
import { type About, hiding, projector, type Shown, type Want, readToShow } from '../../layers/domain/projection.ts';
import { check, checkField, createSchema } from '../../layers/domain/schema.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { changeRecord, createRecord, removeRecord } from '../../layers/store/records/change.ts';
import { findRecord } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import { type Answer, type Call, type Deps, type QueryTable, route, type Route } from './route.ts';
import { isUuid, json, logicalName } from '../../layers/domain/values.ts';
import type { Kept, Kind } from '../../layers/store/kinds/kind.ts';

export type Values = Record<string, unknown>;

/** What was masked in an answer and has nothing behind it here would be stored as a secret. Throws Invalid (400). */
export const refuseMask = (rows: Fields, name: string, value: unknown): void => {
  if (!hasMask(rows[name]?.masked, value)) return;
  throw Invalid(`Invalid value for ${name}: ****** stands only for the secret that is stored in the same place.`);
};

/**
 * The values that a POST gives; null is as good as absent. `except` are fields whose masks are looked at elsewhere.
 * Throws Invalid (400), NotAcceptable (406).
 */
export const readNew = (rows: Fields, version: number, body: Values, except: readonly string[] = []): Values => {
  refuseNewer(rows, version, Object.keys(body));
  for (const [name, value] of Object.entries(body)) if (!except.includes(name)) refuseMask(rows, name, value);
  const values = check(createSchema(rows, version), body);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? null) !== null));
};

/** A field as a patch leaves it, checked by its row; a mask stands for what is stored. Throws Invalid (400). */
export const readValue = (rows: Fields, name: string, given: unknown, stored: object): unknown => {
  const value = unmaskField(rows[name]!.masked, given, (stored as Values)[name]);
  refuseMask(rows, name, value);
  return checkField(rows, name, value);
};

/** The values with the secrets in them sealed where their rows say so; what is sealed in the stored record stays. */
export const sealValues = async <V extends object>(
  { sealer }: Pick<Deps, 'sealer'>,
  rows: Fields,
  owner: string,
  values: V,
  stored: object = {},
): Promise<V> => {
  const sealed = Object.entries(values).map(async ([field, value]: [string, unknown]) => {
    const name = Object.hasOwn(rows, field) ? rows[field]!.sealed : undefined;
    return [field, name ? await sealParts(sealer, { owner, name }, value, (stored as Values)[field]) : value] as const;
  });
  return Object.fromEntries(await Promise.all(sealed)) as V;
};

/** Refuses given fields whose own rule the caller does not pass for the record as it is. Throws Forbidden (403). */
export const authorizeFields = (rows: Fields, given: Values, subject: Subject, record: object): void => {
  const refused = rulesOf(rows, Object.keys(given)).find((rule) => !allows(rule, subject, record as Owned));
  if (refused) throw denied(refused);
};

/**
 * Reads a patch. The answer makes of a stored record the touched fields as the patch leaves them, each checked by its
 * row. Both throw Invalid (400), and NotAcceptable (406) for a field that is too new.
 */
export const readChanges = (rows: Fields, { version, body }: Pick<Call<PatchBody>, 'version' | 'body'>) => {
  const patch = readPatch(body, version);
  refuseUnpatchable(rows, patch);
  refuseNewer(
    rows,
    version,
    patch.map(({ pieces }) => pieces[0]),
  );
  return (stored: object): Values =>
    Object.fromEntries(
      Object.entries(applyPatch(stored, patch, rows)).map(([name, given]) => [
        name,
        readValue(rows, name, given, stored),
      ]),
    );
};

const { fields: _fields, detail: _detail, ...detailQuery } = pageQuery;

/** What a list is asked for in: briefly or with a choice of fields, and whole at `/detail`. */
export const lists = [
  ['', pageQuery, ({ version, query }: Call, rows: Fields): Want => readWant(rows, version, query)],
  ['/detail', detailQuery, (): Want => 'all'],
] as const satisfies readonly [string, QueryTable, (call: Call, rows: Fields) => Want][];

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** How a collection and its records are called in the OpenAPI document: `volume/targets` has VolumeTarget. */
export const answersOf = (collection: string, rows: Fields) => {
  const words = collection.split(/[_/]/).map(capital).join('');
  const list = collection.split('/').at(-1)!;
  const record = { name: words === 'Chassis' ? words : words.replace(/s$/, ''), rows };
  return { record: { answers: record }, list: { answers: { ...record, list } } };
};

/** Makes the function that shows records as a caller asked for them. */
export type Shows<R> = (call: Call, want: Want) => (record: R) => Record<string, unknown>;

/** That of records of this table. */
export const showing =
  <R extends object>(rows: Fields, about: About<R>): Shows<R> =>
  (call, want) =>
    projector(rows, call, want, about);

/**
 * A page as it is answered: under the collection's name, with the link to the next one. `path` is what was asked for,
 * such as /v1/chassis/detail.
 */
export const listAnswer = async <R extends { readonly uuid: string }>(
  call: Call,
  { path, name, rows, want, view }: { path: string; name: string; rows: Fields; want: Want; view: Shows<R> },
  select: (page: Page) => Promise<R[]>,
): Promise<Answer> => {
  const page = readPage(rows, call.version, call.query);
  const found = await select(page);
  const next = nextLink(call.base, path, call.query, page.limit, found);
  return { body: { [name]: found.map(view(call, want)), ...(next && { next }) } };
};

/** A resource whose records stand alone. */
export type Resource<R extends Kept> = {
  /** Its name in paths and lists. */
  readonly collection: string;
  /** What a path names a record by. */
  readonly ident: 'ident' | 'uuid';
  readonly since?: number;
  /** What POST, PATCH and DELETE answer below that version; GET answers 404 (ironic-api.md 1.2). */
  readonly tooOld?: 405;
  readonly kind: Kind<R>;
  /** `own`: who does not pass `list` sees what `narrow` leaves for the project of the call. */
  readonly policy: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', Rule>> & { readonly own?: Rule };
  /** What of the records is shown otherwise than the table says. */
  readonly shown?: Shown<R>;
  /** Filters besides those of the fields. */
  readonly filters?: Filters<R>;
  /** The filters that a list is read with: for a caller of one project they keep what it may see. Throws Forbidden. */
  readonly narrow?: (call: Pick<Call, 'query' | 'only'>) => Query;
  /** The lists also stand at /detail. */
  readonly detail?: true;
  readonly find: Finder<R>;
  /**
   * Completes the values that a POST or a PATCH gives (`before`: of this record) by who gives them and how new the
   * request is. Throws Invalid (400), Forbidden (403).
   */
  readonly complete?: (values: Values, call: Pick<Call, 'subject' | 'version'>, before?: R) => Values;
  /** Refuses a record as a whole, new or changed. Throws Invalid (400). */
  readonly checkWhole?: (record: Values, version: number) => void;
  /** Refuses to delete a record by throwing. */
  readonly refuseDelete?: (deps: Deps, record: R) => Promise<void>;
};

type Finder<R> = NonNullable<Route<undefined, R>['find']>;

/** Finds by UUID or name. Throws NotFound (404), Invalid (400) for what can be neither. */
export const identFinder =
  <R extends Kept>(kind: Kind<R>): Finder<R> =>
  async ({ table }, { ident = '' }) => {
    if (!logicalName.safeParse(ident).success) throw Invalid(`Expected a logical name or UUID but received ${ident}.`);
    return findRecord(table, kind, ident);
  };

/** Finds what has no name. Throws NotFound (404), Invalid (400) for what is no UUID. */
export const uuidFinder =
  <R extends Kept>(kind: Kind<R>): Finder<R> =>
  async ({ table }, { uuid = '' }) => {
    if (!isUuid(uuid)) throw Invalid(`Expected a UUID but received ${uuid}.`);
    return findRecord(table, kind, uuid);
  };

const viewOf = <R extends Kept>({ collection, kind, shown }: Resource<R>): Shows<R> =>
  showing(kind.fields, { at: collection, ...(shown && { shown }) });

const listRoutes = <R extends Kept>(resource: Resource<R>): Route[] => {
  const { collection, kind, policy, detail, since } = resource;
  const rows = kind.fields;
  const filters = filtersOf<R>(rows, resource.filters);
  const { narrow = ({ query }) => query } = resource;
  const view = viewOf(resource);
  return lists
    .filter(([suffix]) => suffix === '' || detail)
    .map(([suffix, query, wantOf]) =>
      route({
        at: `GET /v1/${collection}${suffix}`,
        ...(since && { since }),
        policy: policy.list,
        ...(policy.own && { own: policy.own }),
        query: { ...query, ...filters },
        ...answersOf(collection, rows).list,
        handle: async ({ table }, call) => {
          const about = { path: `/v1/${collection}${suffix}`, name: collection, rows, want: wantOf(call, rows), view };
          const selection = selectBy(filters, narrow(call));
          // Filters narrow what a project sees, they do not make it.
          const { keep: sees, looksAt: toSee } = selectBy(filters, narrow({ ...call, query: {} }));
          return listAnswer(call, about, async (page) => {
            const hides = hiding(rows, call.subject, page.sort_key);
            const toShow = resource.shown ? undefined : readToShow(rows, about.want, [page.sort_key]);
            const reads = readsOf(selection.looksAt, toSee, toShow);
            return listRecords(table, kind, page, { ...selection, sees, hides, reads });
          });
        },
      }),
    );
};

const createRoute = <R extends Kept>(resource: Resource<R>, gate: Pick<Route, 'since' | 'tooOld'>): Route => {
  const { collection, kind, policy, complete, checkWhole } = resource;
  const rows = kind.fields;
  const view = viewOf(resource);
  return route<Values>({
    ...gate,
    at: `POST /v1/${collection}`,
    policy: policy.create,
    status: 201,
    body: json,
    ...answersOf(collection, rows).record,
    handle: async (deps, call) => {
      const values = readNew(rows, call.version, call.body);
      const record = newRecord(deps, kind, complete?.(values, call) ?? values);
      checkWhole?.(record, call.version);
      await createRecord(deps, kind, await sealValues(deps, rows, record.uuid, record));
      return { body: view(call, 'all')(record), location: `/v1/${collection}/${record.uuid}` };
    },
  });
};

const patchRoute = <R extends Kept>(resource: Resource<R>, gate: Pick<Route, 'since' | 'tooOld'>): Route => {
  const { collection, ident, kind, policy, find, complete, checkWhole } = resource;
  const rows = kind.fields;
  const view = viewOf(resource);
  return route<PatchBody, R>({
    ...gate,
    at: `PATCH /v1/${collection}/{${ident}}`,
    policy: policy.update,
    body: patchBody,
    ...answersOf(collection, rows).record,
    find,
    handle: async (deps, call) => {
      const changes = readChanges(rows, call);
      const { after } = await changeRecord(deps, kind, call.target.uuid, async (stored) => {
        const given = changes(stored);
        const values = complete?.(given, call, stored) ?? given;
        authorizeFields(rows, given, call.subject, stored);
        checkWhole?.({ ...stored, ...values }, call.version);
        return { set: (await sealValues(deps, rows, stored.uuid, values, stored)) as Partial<R> };
      });
      return { body: view(call, 'all')(after) };
    },
  });
};

/** All routes of a resource whose records stand alone: list, create, show, patch, delete. */
export const recordRoutes = <R extends Kept>(resource: Resource<R>): Route[] => {
  const { collection, ident, kind, policy, find, since, tooOld, refuseDelete } = resource;
  const rows = kind.fields;
  const view = viewOf(resource);
  const gate = { ...(since && { since }), ...(tooOld && { tooOld }) };
  const at = `/v1/${collection}/{${ident}}` as const;
  return [
    ...listRoutes(resource),
    createRoute(resource, gate),
    route<undefined, R>({
      at: `GET ${at}`,
      ...(since && { since }),
      policy: policy.get,
      query: { fields: pageQuery.fields },
      ...answersOf(collection, rows).record,
      find,
      handle: async (_deps, call) => {
        const want = readFields(rows, call.version, call.query) ?? 'all';
        return { body: view(call, want)(call.target) };
      },
    }),
    patchRoute(resource, gate),
    route<undefined, R>({
      ...gate,
      at: `DELETE ${at}`,
      policy: policy.delete,
      find,
      handle: async (deps, { target }) => {
        await removeRecord(deps, kind, target.uuid, async (record) => refuseDelete?.(deps, record));
        return {};
      },
    }),
  ];
};
