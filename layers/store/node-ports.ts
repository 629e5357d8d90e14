/**
 * Ports: items in their node's partition, found by guards (uuid, MAC address, name). Every write is conditional on the
 * revision of the node it was decided on, so a port never changes under a node that meanwhile started to deploy.
 */
import { Conflict, NotFound, type Fault } from '../domain/fault.ts';
import type { Page } from '../domain/page.ts';
import { port as portFields, type Port } from '../domain/port.ts';
import { isUuid } from '../domain/values.ts';
import { guardChanges, guardKey, guardsOf } from './guards.ts';
import { indexAttributes, listPartition } from './indexes.ts';
import { everyShard, readPage } from './lists.ts';
import { isoTime, nodeKey, nodePartition, readNode, type StoredNode } from './nodes.ts';
import type { Ports } from './ports.ts';
import { absent, equals, isConditionFailed, present, type Item, type Key, type Table, type Write } from './table.ts';

/** `position` is its place in lists, `revision` counts its writes. */
export type StoredPort = Port & { readonly position: string; readonly revision: number };

type Needs = Pick<Ports, 'table' | 'clock' | 'ids'>;

const prefix = 'port#';
/** A port stands with its node. */
export const portKey = (node: string, uuid: string): Key => ({ pk: nodePartition(node), sk: prefix + uuid });

const toPort = ({ pk: _pk, sk: _sk, list: _list, guards: _guards, ...rest }: Item): StoredPort =>
  rest as unknown as StoredPort;

/** `guards` are what deleting the node has to remove with the port. */
const toItem = (port: StoredPort): Item => ({
  ...portKey(port.node_uuid, port.uuid),
  ...port,
  ...indexAttributes('port', portFields, port),
  guards: guardsOf(portFields, port),
});

const byGuard = async (table: Table, what: string, value: string): Promise<StoredPort | undefined> => {
  const guard = await table.get(guardKey(what, value));
  const item = guard && (await table.get(portKey(guard['node'] as string, guard['port'] as string)));
  return item && toPort(item);
};

/** The port of this UUID or name. Throws NotFound (404). */
export const findPort = async (table: Table, ident: string): Promise<StoredPort> => {
  const found = await (isUuid(ident)
    ? byGuard(table, 'port', ident.toLowerCase())
    : byGuard(table, 'port_name', ident));
  if (!found) throw NotFound(`Port ${ident} could not be found.`);
  return found;
};

/** The port with this MAC address (lower case, colons). */
export const portByAddress = async (table: Table, address: string): Promise<StoredPort | undefined> =>
  byGuard(table, 'port_address', address);

/** All ports of a node, in the order of their UUIDs. */
export const portsOf = async (table: Table, node: string): Promise<StoredPort[]> =>
  (await table.query({ partition: nodePartition(node), begins: prefix })).map(toPort);

/** A page of the ports of all nodes that `keep` keeps. Throws NotFound (404) for an unknown marker. */
export const listPorts = async (
  table: Table,
  page: Page,
  keep: (port: StoredPort) => boolean,
): Promise<StoredPort[]> => {
  const places = everyShard('list', (shard) => listPartition('port', shard));
  const marker = async (uuid: string) => {
    const guard = await table.get(guardKey('port', uuid));
    return guard && table.get(portKey(guard['node'] as string, guard['port'] as string));
  };
  const items = await readPage(table, places, page, (item) => keep(item as unknown as StoredPort), marker);
  return items.map(toPort);
};

const words: Readonly<Record<string, string>> = { port: 'UUID', port_address: 'MAC address', port_name: 'name' };

/** Says which unique value was taken; undefined if another write of the transaction was refused. */
const explain = (writes: readonly Write[], index: number): Fault | undefined => {
  const write = writes[index];
  const [kind, what, ...value] = write && 'put' in write ? write.put.pk.split('#') : [];
  return kind === 'unique' ? Conflict(`A port with ${words[what!]} ${value.join('#')} already exists.`) : undefined;
};

const nodeAsSeen = ({ uuid, revision }: StoredNode): Write => ({
  check: nodeKey(uuid),
  when: [equals('revision', revision)],
});

/** What to write for a decision that was made on this node: the one the port is in, or a new one goes to. */
type Decision = { readonly node: StoredNode; readonly before?: StoredPort; readonly after?: StoredPort };

const refers = (port: StoredPort) => ({ node: port.node_uuid, port: port.uuid });

const recordWrites = ({ before, after }: Decision): Write[] => {
  const seen = before && [equals('revision', before.revision)];
  const moved = before && after && before.node_uuid !== after.node_uuid;
  if (!after) return [{ delete: portKey(before!.node_uuid, before!.uuid), when: seen! }];
  if (!moved) return [{ put: toItem(after), when: seen ?? [absent] }];
  const kept = guardsOf(portFields, after).filter((key) =>
    guardsOf(portFields, before).some(({ pk }) => pk === key.pk),
  );
  return [
    { delete: portKey(before.node_uuid, before.uuid), when: seen! },
    { put: toItem(after), when: [absent] },
    { check: nodeKey(after.node_uuid), when: [present] },
    ...kept.map((key) => ({ put: { ...key, ...refers(after) } })),
  ];
};

const writesOf = (decision: Decision): Write[] => {
  const { node, before, after } = decision;
  const guards = guardChanges(portFields, before, after, refers((after ?? before)!));
  return [nodeAsSeen(node), ...recordWrites(decision), ...guards];
};

const maxTries = 20;

/**
 * Writes what `decide` wants; should the node or the port have changed since they were read, it is asked again with
 * both as they are by then. It may throw a Fault to refuse. Throws Conflict (409) for a taken value.
 */
const write = async ({ table, clock }: Needs, decide: () => Promise<Decision>): Promise<Decision> => {
  for (let attempt = 1; ; attempt += 1) {
    const decision = await decide();
    const writes = writesOf(decision);
    try {
      await table.write(writes);
      return decision;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      const taken = explain(writes, error.index);
      if (taken) throw taken;
      if (attempt >= maxTries) throw Conflict('The port is being changed by others all the time, try again.', error);
      await clock.sleep(Math.random() * 5 * attempt);
    }
  }
};

const nodeOf = async (table: Table, uuid: string): Promise<StoredNode> => {
  const found = await readNode(table, uuid);
  if (!found) throw NotFound(`Node ${uuid} could not be found.`);
  return found;
};

/** Stores a new port; `permit` refuses by throwing. Throws NotFound (404) if its node is gone, Conflict (409). */
export const createPort = async (needs: Needs, port: StoredPort, permit: (node: StoredNode) => void): Promise<void> => {
  await write(needs, async () => {
    const node = await nodeOf(needs.table, port.node_uuid);
    permit(node);
    return { node, after: port };
  });
};

/** Changes a port by what `decide` makes of it and its node; a new `node_uuid` moves it. `decide` refuses by throwing. */
export const changePort = async (
  needs: Needs,
  uuid: string,
  decide: (port: StoredPort, node: StoredNode) => Promise<Partial<Port>>,
): Promise<StoredPort> => {
  const { after } = await write(needs, async () => {
    const before = await findPort(needs.table, uuid);
    const node = await nodeOf(needs.table, before.node_uuid);
    const kept = { revision: before.revision + 1, updated_at: isoTime(needs.clock.now()) };
    return { node, before, after: { ...before, ...(await decide(before, node)), ...kept } };
  });
  return after!;
};

/** Removes a port; `permit` refuses by throwing. */
export const deletePort = async (
  needs: Needs,
  uuid: string,
  permit: (port: StoredPort, node: StoredNode) => void,
): Promise<void> => {
  await write(needs, async () => {
    const before = await findPort(needs.table, uuid);
    const node = await nodeOf(needs.table, before.node_uuid);
    permit(before, node);
    return { node, before };
  });
};
