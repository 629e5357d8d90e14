/**
 * What a node has several of (ports, volume connectors, ...): items in their node's partition, found by guards. Every
 * write is conditional on the revision of the node it was decided on, so nothing of a node changes under a run that
 * meanwhile began.
 */
import { Conflict, NotFound, type Fault } from '../domain/fault.ts';
import type { Fields } from '../domain/fields.ts';
import type { Selection } from '../domain/filters.ts';
import type { Page } from '../domain/page.ts';
import { isUuid } from '../domain/values.ts';
import { guardChanges, guardKey, guardsOf } from './guards.ts';
import { indexAttributes, indexName, indexPartition, isPlace, listPartition } from './indexes.ts';
import { everyShard, readPage } from './lists.ts';
import { isoTime, nodeKey, nodePartition, readNode, type StoredNode } from './nodes.ts';
import type { Platform } from '../platform/platform.ts';
import { noNewReference, referTo, type Referred } from './references.ts';
import {
  absent,
  equals,
  isConditionFailed,
  present,
  type Item,
  type Key,
  type Table,
  type Write,
} from '../platform/table.ts';

/** One kind of them. */
export type Kind = {
  /** Begins its sort keys, names its list, and is the `unique` of its uuid. */
  readonly name: string;
  /** How messages call it, such as "Volume connector". */
  readonly title: string;
  readonly fields: Fields;
  /** What messages call the value of each `unique`. */
  readonly words: Readonly<Record<string, string>>;
  /** Where a record stands that this one refers to and that must not go meanwhile, such as the group of a port. */
  refersTo?(record: Belonging): Key | undefined;
};

type Belonging = { readonly uuid: string; readonly node_uuid: string };

/** `position` is its place in lists, `revision` counts its writes. */
export type Stored<R> = R & Referred & { readonly position: string; readonly revision: number };

type Needs = Pick<Platform, 'table' | 'clock' | 'ids'>;

/** It stands with its node. */
export const belongingKey = ({ name }: Pick<Kind, 'name'>, node: string, uuid: string): Key => ({
  pk: nodePartition(node),
  sk: `${name}#${uuid}`,
});

const toRecord = <R extends Belonging>({ guards: _guards, ...item }: Item): Stored<R> =>
  Object.fromEntries(Object.entries(item).filter(([attribute]) => !isPlace(attribute))) as unknown as Stored<R>;

/** `guards` are what deleting the node has to remove with it. */
const toItem = (kind: Kind, record: Belonging): Item => ({
  ...belongingKey(kind, record.node_uuid, record.uuid),
  ...record,
  ...indexAttributes(kind.name, kind.fields, record),
  guards: guardsOf(kind.fields, record),
});

const itemByGuard = async (table: Table, { name }: Kind, what: string, value: string): Promise<Item | undefined> => {
  const guard = await table.get(guardKey(what, value));
  return guard && table.get(belongingKey({ name }, guard['node'] as string, guard[name] as string));
};

/** The one with this value in the field whose `unique` is `what`. */
export const belongingBy = async <R extends Belonging>(
  table: Table,
  kind: Kind,
  what: string,
  value: string,
): Promise<Stored<R> | undefined> => {
  const item = await itemByGuard(table, kind, what, value);
  return item && toRecord<R>(item);
};

/** What its absence is told with. */
export const missing = ({ title }: Kind, ident: string): Fault => NotFound(`${title} ${ident} could not be found.`);

/** The one of this UUID, or of this name if the kind has names. Throws NotFound (404). */
export const findBelonging = async <R extends Belonging>(
  table: Table,
  kind: Kind,
  ident: string,
): Promise<Stored<R>> => {
  const named = kind.fields['name']?.unique;
  const what = isUuid(ident) ? kind.name : named;
  const found =
    what === undefined
      ? undefined
      : await belongingBy<R>(table, kind, what, what === kind.name ? ident.toLowerCase() : ident);
  if (!found) throw missing(kind, ident);
  return found;
};

/** All of a node, in the order of their UUIDs. */
export const belongingsOf = async <R extends Belonging>(
  table: Table,
  { name }: Kind,
  node: string,
): Promise<Stored<R>[]> =>
  (await table.query({ partition: nodePartition(node), begins: `${name}#` })).map((item) => toRecord<R>(item));

/** How many nodes are asked at a time for what they have. */
const atOnce = 16;

/** All of these nodes. */
export const belongingsOfAll = async <R extends Belonging>(
  table: Table,
  kind: Kind,
  nodes: readonly string[],
): Promise<Stored<R>[]> => {
  const found: Stored<R>[] = [];
  for (let at = 0; at < nodes.length; at += atOnce) {
    const some = nodes.slice(at, at + atOnce).map(async (node) => belongingsOf<R>(table, kind, node));
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
};

/** A page of those of all nodes that are selected. `hides`: see Choice in records.ts. Throws NotFound (404) for an unknown marker. */
export const listBelongings = async <R extends Belonging>(
  table: Table,
  kind: Kind,
  page: Page,
  { lookups, keep, hides }: Selection<Stored<R>> & { hides(record: Stored<R>): boolean },
): Promise<Stored<R>[]> => {
  const places = lookups
    ? lookups.flatMap(({ index, value }) =>
        everyShard(indexName(index), (shard) => indexPartition(kind.name, index, value, shard)),
      )
    : everyShard('list', (shard) => listPartition(kind.name, shard));
  const find = async (uuid: string) => itemByGuard(table, kind, kind.name, uuid);
  const listed = (item: Item) => item as unknown as Stored<R>;
  const shown = { keep: (item: Item) => keep(listed(item)), find, hides: (item: Item) => hides(listed(item)) };
  const items = await readPage(table, places, page, shown);
  return items.map((item) => toRecord<R>(item));
};

/** Says which unique value was taken; undefined if another write of the transaction was refused. */
const explain = ({ title, words }: Kind, writes: readonly Write[], index: number): Fault | undefined => {
  const write = writes[index];
  const [unique, what, ...value] = write && 'put' in write ? write.put.pk.split('#') : [];
  if (unique !== 'unique') return undefined;
  return Conflict(`A ${title.toLowerCase()} with ${words[what!]} ${value.join('#')} already exists.`);
};

const nodeAsSeen = ({ uuid, revision }: StoredNode): Write => ({
  check: nodeKey(uuid),
  when: [equals('revision', revision)],
});

/** What to write for a decision that was made on this node: the one it is of, or a new one goes to. */
type Decision<R> = { readonly node: StoredNode; readonly before?: Stored<R>; readonly after?: Stored<R> };

const refers = ({ name }: Kind, record: Belonging) => ({ node: record.node_uuid, [name]: record.uuid });

const recordWrites = <R extends Belonging>(kind: Kind, { before, after }: Decision<R>): Write[] => {
  const seen = before && [equals('revision', before.revision)];
  const moved = before && after && before.node_uuid !== after.node_uuid;
  const place = before && belongingKey(kind, before.node_uuid, before.uuid);
  const unreferred = before && [...seen!, noNewReference(before)];
  if (!after) return [{ delete: place!, when: unreferred! }];
  if (!moved) return [{ put: toItem(kind, after), when: seen ?? [absent] }];
  const kept = guardsOf(kind.fields, after).filter((key) =>
    guardsOf(kind.fields, before).some(({ pk }) => pk === key.pk),
  );
  return [
    { delete: place!, when: unreferred! },
    { put: toItem(kind, after), when: [absent] },
    { check: nodeKey(after.node_uuid), when: [present] },
    ...kept.map((key) => ({ put: { ...key, ...refers(kind, after) } })),
  ];
};

/** What begins to refer to another record says so there, so that it is not deleted under it. */
const referenceWrites = <R extends Belonging>(kind: Kind, { before, after }: Decision<R>, { ids }: Needs): Write[] => {
  const [old, next] = [before, after].map((record) => record && kind.refersTo?.(record));
  return next && (next.pk !== old?.pk || next.sk !== old.sk) ? [referTo(next, ids.ulid())] : [];
};

const writesOf = <R extends Belonging>(kind: Kind, decision: Decision<R>, needs: Needs): Write[] => {
  const { node, before, after } = decision;
  const guards = guardChanges(kind.fields, before, after, refers(kind, (after ?? before)!));
  return [nodeAsSeen(node), ...recordWrites(kind, decision), ...guards, ...referenceWrites(kind, decision, needs)];
};

const maxTries = 20;

/**
 * Writes what `decide` wants; should the node or the record have changed since they were read, it is asked again with
 * both as they are by then. It may throw a Fault to refuse. Throws Conflict (409) for a taken value.
 */
const write = async <R extends Belonging>(
  needs: Needs,
  kind: Kind,
  decide: () => Promise<Decision<R>>,
): Promise<Decision<R>> => {
  for (let attempt = 1; ; attempt += 1) {
    const decision = await decide();
    const writes = writesOf(kind, decision, needs);
    try {
      await needs.table.write(writes);
      return decision;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      const taken = explain(kind, writes, error.index);
      if (taken) throw taken;
      if (attempt >= maxTries) {
        throw Conflict(`The ${kind.title.toLowerCase()} is being changed by others all the time, try again.`, error);
      }
      await needs.clock.sleep(Math.random() * 5 * attempt);
    }
  }
};

const nodeOf = async (table: Table, uuid: string): Promise<StoredNode> => {
  const found = await readNode(table, uuid);
  if (!found) throw NotFound(`Node ${uuid} could not be found.`);
  return found;
};

/** Stores a new one; `permit` refuses by throwing. Throws NotFound (404) if its node is gone, Conflict (409). */
export const createBelonging = async <R extends Belonging>(
  needs: Needs,
  kind: Kind,
  record: Stored<R>,
  permit: (node: StoredNode) => void | Promise<void>,
): Promise<void> => {
  await write<R>(needs, kind, async () => {
    const node = await nodeOf(needs.table, record.node_uuid);
    await permit(node);
    return { node, after: record };
  });
};

/** Changes it by what `decide` makes of it and its node; a new `node_uuid` moves it. `decide` refuses by throwing. */
export const changeBelonging = async <R extends Belonging>(
  needs: Needs,
  kind: Kind,
  uuid: string,
  decide: (record: Stored<R>, node: StoredNode) => Promise<Partial<R>>,
): Promise<Stored<R>> => {
  const { after } = await write<R>(needs, kind, async () => {
    const before = await findBelonging<R>(needs.table, kind, uuid);
    const node = await nodeOf(needs.table, before.node_uuid);
    const kept = { revision: before.revision + 1, updated_at: isoTime(needs.clock.now()) };
    return { node, before, after: { ...before, ...(await decide(before, node)), ...kept } };
  });
  return after!;
};

/** Removes it; `permit` refuses by throwing. */
export const deleteBelonging = async <R extends Belonging>(
  needs: Needs,
  kind: Kind,
  uuid: string,
  permit: (record: Stored<R>, node: StoredNode) => void | Promise<void>,
): Promise<void> => {
  await write<R>(needs, kind, async () => {
    const before = await findBelonging<R>(needs.table, kind, uuid);
    const node = await nodeOf(needs.table, before.node_uuid);
    await permit(before, node);
    return { node, before };
  });
};
