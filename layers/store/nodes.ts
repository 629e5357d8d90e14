/**
 * The node's items and the only way to change them. Every write counts `revision` and is conditional on the revision
 * that was read, so no concurrent change is ever lost; a decision is a pure function of the node as it is stored.
 */
import { node as nodeFields, type Node, type NodeKeeping } from '../domain/node.ts';
import { Conflict, type Fault, Invalid, NotFound } from '../domain/fault.ts';
import { isUuid } from '../domain/values.ts';
import { lostAllocation } from './allocation-links.ts';
import { eventWrite, type NodeEvent } from './events.ts';
import { guardChanges, guardKey } from './guards.ts';
import { busyAttribute, derivedAttributes, freeAttribute, indexAttributes, isPlace } from './indexes.ts';
import { maxWrites } from '../platform/limits.ts';
import type { Platform } from '../platform/platform.ts';
import { isReference, recordKey, referTo } from './references.ts';
import { absent, equals, isConditionFailed, type Item, type Key, type Table, type Write } from '../platform/table.ts';

export type StoredNode = Node & NodeKeeping;

/** What a decision wants: new values, events to append, and writes to other items of the same transaction. */
export type Change = {
  readonly set?: Partial<StoredNode>;
  readonly events?: readonly NodeEvent[];
  readonly also?: readonly Write[];
};

/** A node around the one write that counts; one and the same form if nothing was to be changed. */
export type Changed = { readonly before: StoredNode; readonly after: StoredNode };

type Needs = Pick<Platform, 'table' | 'clock' | 'ids'>;

/** A node's whole world is in one partition: one query reads it. */
export const nodePartition = (uuid: string) => `node#${uuid}`;
/** The record without instance_info. */
export const nodeKey = (uuid: string): Key => ({ pk: nodePartition(uuid), sk: 'node' });
/** The instance_info of a node. */
export const instanceInfoKey = (uuid: string): Key => ({ pk: nodePartition(uuid), sk: 'instance_info' });

/** ISO 8601 with offset, as Ironic writes times. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00');

/** One stored node from its two items; index attributes are left behind. */
export const toNode = (item: Item, info: Item | undefined): StoredNode => {
  const node: Record<string, unknown> = {};
  // Every request comes through here: a loop costs a third of what entries and back would.
  for (const name in item) if (!isPlace(name)) node[name] = item[name];
  node['instance_info'] = info?.['values'] ?? {};
  return node as StoredNode;
};

/** The node of this UUID, with its instance_info; undefined if there is none. Takes no lock. */
export const readNode = async (table: Table, uuid: string): Promise<StoredNode | undefined> => {
  const [item, info] = await table.getMany([nodeKey(uuid), instanceInfoKey(uuid)]);
  return item && toNode(item, info);
};

/** The UUID of the node of this UUID or name; undefined for a name that none has. Whether there is such a node is not looked at. */
export const nodeUuid = async (table: Table, ident: string): Promise<string | undefined> =>
  isUuid(ident)
    ? ident.toLowerCase()
    : ((await table.get(guardKey('node_name', ident)))?.['node'] as string | undefined);

/** The node of this UUID or name. Throws NotFound (404). */
export const findNode = async (table: Table, ident: string): Promise<StoredNode> => {
  const uuid = await nodeUuid(table, ident);
  const found = uuid && (await readNode(table, uuid));
  if (!found) throw NotFound(`Node ${ident} could not be found.`);
  return found;
};

const toItem = (node: StoredNode): Item => {
  const { instance_info: _info, ...rest } = node;
  return {
    ...nodeKey(node.uuid),
    ...rest,
    ...indexAttributes('node', nodeFields, node),
    ...derivedAttributes(node),
    ...busyAttribute(node),
    ...freeAttribute(node),
  };
};

/** A node that gets into a chassis says so there, so that the chassis is not deleted under it. */
const chassisWrites = (
  before: StoredNode | undefined,
  { chassis_uuid: chassis }: StoredNode,
  { ids }: Needs,
): Write[] => (chassis && chassis !== before?.chassis_uuid ? [referTo(recordKey('chassis', chassis), ids.ulid())] : []);

const infoItem = (node: StoredNode): Item => ({ ...instanceInfoKey(node.uuid), values: node.instance_info });

/** Says which unique value was taken, or that the chassis is gone; undefined for the other writes of a transaction. */
const explain = (writes: readonly Write[], error: unknown): Fault | undefined => {
  if (!isConditionFailed(error)) return undefined;
  const write = writes[error.index];
  if (isReference(write)) return Invalid('The chassis could not be found, it was deleted meanwhile.', error);
  const guard = write && 'put' in write && write.put.pk.startsWith('unique#') ? write.put.pk.split('#') : undefined;
  if (!guard) return undefined;
  return Conflict(`A ${guard[1]?.replaceAll('_', ' ')} "${guard.slice(2).join('#')}" already exists, choose another.`);
};

/** Stores a new node. Throws Conflict (409) if its uuid, name or instance_uuid is taken, Invalid (400) without its chassis. */
export const createNode = async (needs: Needs, node: StoredNode, also: readonly Write[] = []): Promise<void> => {
  const writes: Write[] = [
    { put: toItem(node), when: [absent] },
    { put: infoItem(node) },
    ...guardChanges(nodeFields, undefined, node, { node: node.uuid }),
    ...chassisWrites(undefined, node, needs),
    ...also,
  ];
  await needs.table.write(writes).catch((error: unknown) => {
    if (isConditionFailed(error) && error.index === 0) {
      throw Conflict(`A node with UUID ${node.uuid} already exists.`, error);
    }
    throw explain(writes, error) ?? error;
  });
};

const changeWrites = (before: StoredNode, after: StoredNode, change: Change, needs: Needs): Write[] => [
  { put: toItem(after), when: [equals('revision', before.revision)] },
  ...(change.set?.instance_info === undefined ? [] : [{ put: infoItem(after) }]),
  ...guardChanges(nodeFields, before, after, { node: after.uuid }),
  ...chassisWrites(before, after, needs),
  ...(change.events ?? []).map((event) => eventWrite(after, event, isoTime(needs.clock.now()), needs.ids)),
  ...(change.also ?? []),
];

/**
 * The node to decide on. instance_info is read after the node's own item: reads of two items are no snapshot, but who
 * writes instance_info in between also counts the node's revision, so a decision on torn values is never written.
 */
const readToChange = async (table: Table, uuid: string): Promise<StoredNode | undefined> => {
  const item = await table.get(nodeKey(uuid));
  return item && toNode(item, await table.get(instanceInfoKey(uuid)));
};

/** 50 losses in a row mean something is wrong; each loss means that somebody else has made progress. */
const maxTries = 50;

/**
 * Reads the node, lets `decide` say what changes, and writes it if nobody wrote in between; else again with the node
 * as it is by then. `decide` may throw a Fault to refuse, or return undefined to leave the node as it is; it must be
 * free of effects because it may be called several times. An allocation that the node loses is removed with it.
 * Returns the node as it was decided on and as it now is.
 * Throws NotFound (404), Conflict (409) for a taken unique value, ConditionFailed for refused writes in `also`.
 */
export const changeNode = async (
  needs: Needs,
  uuid: string,
  decide: (node: StoredNode) => Change | undefined,
): Promise<Changed> => {
  for (let attempt = 1; ; attempt += 1) {
    const before = await readToChange(needs.table, uuid);
    if (!before) throw NotFound(`Node ${uuid} could not be found.`);
    const change = decide(before);
    if (!change) return { before, after: before };
    const after: StoredNode = {
      ...before,
      ...change.set,
      revision: before.revision + 1,
      updated_at: isoTime(needs.clock.now()),
    };
    if (after.provision_state !== before.provision_state) after.provision_updated_at = after.updated_at;
    const own = changeWrites(before, after, change, needs);
    const writes = [...own, ...(await lostAllocation(needs.table, before, after))];
    try {
      await needs.table.write(writes);
      return { before, after };
    } catch (error) {
      // The node, or the allocation that it loses, is not as it was read.
      const outdated = isConditionFailed(error) && (error.index === 0 || error.index >= own.length);
      if (!outdated) throw explain(writes, error) ?? error;
      if (attempt >= maxTries)
        throw Conflict(`Node ${uuid} is being changed by others all the time, try again.`, error);
      await needs.clock.sleep(Math.random() * 5 * attempt);
    }
  }
};

const belongingsOf = async (table: Table, uuid: string): Promise<Item[]> =>
  (await table.query({ partition: nodePartition(uuid) })).filter(({ sk }) => sk !== 'node');

/** The removal of an item and of the unique values that it holds (`guards`). */
const removal = (item: Item): Write[] => [
  { delete: { pk: item.pk, sk: item.sk } },
  ...((item['guards'] as Key[] | undefined) ?? []).map((key) => ({ delete: key })),
];

/** Puts groups of writes into as few transactions as take them; a group is never torn apart. */
const pack = (groups: readonly Write[][]): Write[][] => {
  const packed: Write[][] = [];
  for (const group of groups) {
    const last = packed.at(-1);
    if (last && last.length + group.length <= maxWrites) last.push(...group);
    else packed.push([...group]);
  }
  return packed;
};

/**
 * Removes the node and everything that belongs to it, its allocation included. What holds unique values (ports) goes in the transaction that
 * removes the node, so a MAC address is never left taken by nothing; the rest is swept after it, with what came in
 * between. Throws ConditionFailed if the node or its allocation is not as it was read.
 */
export const deleteNode = async ({ table }: Needs, node: StoredNode): Promise<void> => {
  const { uuid, revision } = node;
  const itself: Write[] = [
    { delete: nodeKey(uuid), when: [equals('revision', revision)] },
    ...guardChanges(nodeFields, node, undefined, { node: uuid }),
    ...(await lostAllocation(table, node, undefined)),
  ];
  const holders = (await belongingsOf(table, uuid)).filter((item) => item['guards']);
  for (const writes of pack([itself, ...holders.map(removal)])) await table.write(writes);
  const rest = await belongingsOf(table, uuid);
  for (const writes of pack(rest.map(removal))) await table.write(writes);
};
