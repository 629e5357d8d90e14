/** The writes that a change of a record consists of, each with what it means if it is refused. */
import { Conflict, Invalid, type Fault } from '../../domain/fault.ts';
import type { Ids } from '../../platform/platform.ts';
import { absent, equals, present, type Write } from '../../platform/table.ts';
import { entryChanges, placesOf } from '../entries.ts';
import type { NodeEvent } from '../events.ts';
import { guardsOf, type Guard } from '../guards.ts';
import { apartWrite, homeOf, placeOf, storedForm, toItem } from '../kinds/form.ts';
import { isTold } from '../kinds/blank.ts';
import { apartKey, goneKey, keyOf, type AnyKind, type Kept, type KindOf } from '../kinds/kind.ts';
import { noNewReference, referTo } from '../references.ts';

/** What a decision wants: new values, lines of history, and whatever else goes into the same transaction. */
export type Change<R> = {
  readonly set?: Partial<R>;
  readonly events?: readonly NodeEvent[];
  /** The line of history that the change is worth, if it is not the usual one of its kind. */
  readonly told?: (before: R, after: R) => NodeEvent;
  /** Changes of other records. */
  readonly beside?: readonly Beside[];
  /** Writes to items that are no records. */
  readonly also?: readonly Write[];
};

/** When a change is made (ISO 8601), and what draws the ids of its lines. */
export type Moment = { readonly at: string; readonly ids: Ids };

/** `refused` makes what the caller is told; without it a refusal means that something is not as it was read. */
export type Planned = { readonly write: Write; readonly refused?: (cause: unknown) => Fault };

/** The change of another record in the same transaction. */
export type Beside = (moment: Moment) => readonly Planned[];

/** A record around a change; it has no form where it did not or will not exist. */
export type Forms<R> = { readonly before?: R | undefined; readonly after?: R | undefined };

const planned = (writes: readonly Write[]): Planned[] => writes.map((write) => ({ write }));

const taken =
  ({ taken: sentences }: AnyKind, { unique, value, own }: Omit<Guard, 'key'>) =>
  (cause: unknown) =>
    Conflict(
      sentences[unique]!.replace('*', () => value).replace('{own}', () => own),
      cause,
    );

const creation = (kind: AnyKind, record: Kept): Planned[] => {
  // Where several of a node stand, the guard of the UUID says it as well, but may come too late.
  const unique = kind.home ? kind.name : 'uuid';
  const { uuid } = record;
  const refused = taken(kind, { unique, value: uuid, own: uuid });
  const itsPlace: Planned = { write: { put: toItem(kind, record), when: [absent] }, refused };
  return kind.once ? [itsPlace, { write: { check: goneKey(kind, uuid), when: [absent] }, refused }] : [itsPlace];
};

const itself = (kind: AnyKind, { before, after }: Forms<Kept>): Planned[] => {
  if (!before) return creation(kind, after!);
  const seen = equals('revision', before.revision);
  const removal: Write = { delete: placeOf(kind, before), when: [seen, noNewReference(before)] };
  if (!after) return planned([removal, ...(kind.once ? [{ put: goneKey(kind, before.uuid) }] : [])]);
  const home = homeOf(kind, after);
  if (homeOf(kind, before) === home) return planned([{ put: toItem(kind, after), when: [seen] }]);
  const there: Write = { check: keyOf(kind.home!.kind, home!), when: [present] };
  return planned([removal, { put: toItem(kind, after), when: [absent] }, there]);
};

/** What guards lead to. */
const refers = (kind: AnyKind, record: Kept): Readonly<Record<string, string>> => ({
  ...(kind.home && { [kind.home.kind.name]: homeOf(kind, record)! }),
  [kind.name]: record.uuid,
});

const missing = (guards: readonly Guard[], { key }: Guard) => !guards.some((one) => one.key.pk === key.pk);

/** The guards of unique values move with them, and follow a record that gets to another home. */
const guards = (kind: AnyKind, { before, after }: Forms<Kept>): Planned[] => {
  const held = before ? guardsOf(kind.fields, before) : [];
  const wanted = after ? guardsOf(kind.fields, after) : [];
  const moved = before && after && homeOf(kind, before) !== homeOf(kind, after);
  return [
    ...wanted.flatMap((guard): Planned[] => {
      const put = { ...guard.key, ...(after && refers(kind, after)) };
      if (!missing(held, guard)) return moved ? [{ write: { put } }] : [];
      return [{ write: { put, when: [absent] }, refused: taken(kind, guard) }];
    }),
    ...planned(held.filter((guard) => missing(wanted, guard)).map(({ key }) => ({ delete: key }))),
  ];
};

/** What begins to refer to another record says so there, so that it is not deleted under it. */
const references = (kind: AnyKind, { before, after }: Forms<Kept>, { ids }: Moment): Planned[] => {
  const [old, next] = [before && kind.refersTo?.(before), after && kind.refersTo?.(after)];
  if (!next || (next.key.pk === old?.key.pk && next.key.sk === old.key.sk)) return [];
  const { key, gone } = next;
  return [{ write: referTo(key, ids.ulid()), ...(gone && { refused: (cause) => Invalid(gone, cause) }) }];
};

/** What else stands in the partition of a record is swept with it, but of kinds that hold nothing it goes here. */
const apart = (kind: AnyKind, { before, after }: Forms<Kept>, set: object | undefined): Planned[] => {
  const names = kind.apart ?? [];
  if (!after) return planned(kind.holds ? [] : names.map((name) => ({ delete: apartKey(kind, before!.uuid, name) })));
  const values = after as unknown as Readonly<Record<string, unknown>>;
  const due = names.filter((name) => (set ? Object.hasOwn(set, name) : isTold(kind, name, values[name])));
  return planned(due.map((name) => apartWrite(kind, after, name)));
};

/** Where lists find the record. */
const entries = (kind: AnyKind, { before, after }: Forms<Kept>): Planned[] => {
  const listed = (record: Kept | undefined, places: readonly string[] | undefined) =>
    record && { record, home: homeOf(kind, record), places: places ?? placesOf(kind, record) };
  const form = before && storedForm(before);
  const [old, next] = [listed(before, form?.places), listed(after, undefined)];
  // Of a form that is not ours nobody knows what its entries tell.
  const anew = before !== undefined && (form?.schema !== kind.schema || old?.home !== next?.home);
  return planned(entryChanges(kind, old, next, anew));
};

/** A phase starts in the state that its run was resumed to; every other line tells of what led to the new state. */
const inOrder = (events: readonly NodeEvent[], line: NodeEvent): NodeEvent[] =>
  events.some(({ kind }) => kind === 'phase start') ? [line, ...events] : [...events, line];

const history = <R extends Kept>(
  kind: KindOf<R>,
  { before, after }: Forms<R>,
  { events = [], told }: Change<R>,
  { at, ids }: Moment,
): Planned[] => {
  const line = before && after && (told ?? kind.tells)?.(before, after);
  const all = line ? inOrder(events, line) : events;
  return planned(all.map((event) => kind.line!((after ?? before)!, event, at, ids)));
};

/** All writes of one record's change. */
export const planOf = <R extends Kept>(
  kind: KindOf<R>,
  forms: Forms<R>,
  change: Change<R>,
  moment: Moment,
): Planned[] => [
  ...itself(kind, forms),
  ...apart(kind, forms, forms.before && (change.set ?? {})),
  ...guards(kind, forms),
  ...entries(kind, forms),
  ...references(kind, forms, moment),
  ...history(kind, forms, change, moment),
  ...planned(change.also ?? []),
  ...(change.beside ?? []).flatMap((beside) => beside(moment)),
];

/** The record as a change leaves it. */
export const nextForm = <R extends Kept>(kind: KindOf<R>, before: R, { set }: Change<R>, at: string): R => {
  const after: R = { ...before, ...set, revision: before.revision + 1, updated_at: at };
  return { ...after, ...kind.stamps?.(before, after, at) };
};

/** A change of a record as it was read, to be made beside that of another one. */
export const beside =
  <R extends Kept>(kind: KindOf<R>, before: R, change: Change<R>): Beside =>
  (moment) =>
    planOf(kind, { before, after: nextForm(kind, before, change, moment.at) }, change, moment);

/** A new record beside the change of another one; `change` says what comes with it. */
export const besideNew =
  <R extends Kept>(kind: KindOf<R>, record: R, change: Change<R> = {}): Beside =>
  (moment) =>
    planOf(kind, { after: record }, change, moment);

/** The removal of a record as it was read, beside the change of another one. */
export const besideRemoved =
  <R extends Kept>(kind: KindOf<R>, before: R): Beside =>
  (moment) =>
    planOf(kind, { before }, {}, moment);
