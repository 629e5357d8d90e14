/**
 * What there is of nodes beside their records: histories, and what their last inspections found. The API tells of one node
 * at a time; a database tells of many, and is asked for those whose row says that it is of now.
 */
import { eachAtOnce } from '../../layers/domain/at-once.ts';
import { isSame } from '../../layers/domain/values.ts';
import { parseJson } from '../service.ts';
import type { ReadTables, Row } from '../sources/columns.ts';
import type { Source } from '../sources/source.ts';
import type { Ironic, Values } from './api.ts';
import type { Entry } from './entry.ts';
import { originalOf } from './fence.ts';
import { inventory, resources } from './fields.ts';
import { readShown } from './record.ts';
import { tables } from './secrets-database.ts';

export type Beside = {
  /** Of nodes as their list shows them, some at a time: what there is of one may be large. */
  of(nodes: readonly Values[]): AsyncGenerator<Entry[]>;
};

const entryOf = (kind: Entry['kind'], uuid: string, record: Values): Entry => {
  return { kind, uuid, name: null, record, masked: record, missing: [], is: 'wanted', warnings: [] };
};

/** Ironic's own may have no type; an entry here has to have one. */
const historyEntry = (node: string, shown: Values): Entry => {
  const { record } = readShown('history', shown);
  return entryOf('history', record['uuid'] as string, { event_type: 'unknown', ...record, node_uuid: node });
};

const inventoryEntry = (node: string, found: unknown, plugin: unknown = {}): Entry =>
  entryOf('inventory', node, { node_uuid: node, inventory: found, plugin_data: plugin });

/** None if the version of the API has none, or nothing was found of the node. Throws what asking throws. */
const inventoryOf = async (ironic: Ironic, node: string): Promise<Entry[]> => {
  if (ironic.version < inventory.since) return [];
  const path = inventory.path.replace('{node}', node);
  const reply = await ironic.ask('GET', path);
  if (reply.status === 404) return [];
  const { inventory: found, plugin_data } = reply.status === 200 ? (reply.body as Values) : await ironic.read(path);
  return [inventoryEntry(node, found, plugin_data)];
};

const historyOf = async (ironic: Ironic, node: string): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for await (const { records } of ironic.pages('history', node)) {
    entries.push(...records.map((one) => historyEntry(node, one)));
  }
  return entries;
};

/** What there is beside one node's record. Of what came with a later version of its API there is none. */
export const besideOf = async ({ ironic }: { readonly ironic: Ironic }, node: string): Promise<Entry[]> => [
  ...(await historyOf(ironic, node)),
  ...(await inventoryOf(ironic, node)),
];

const atOnce = 8;

/** In pieces of so many. */
const pieces = function* <T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
};

const uuidOf = ({ uuid }: Values): string => uuid as string;

/** By the API alone. */
export const besideOfApi = (ironic: Ironic): Beside => ({
  of: async function* (nodes) {
    for (const some of pieces(nodes, atOnce)) {
      yield (await eachAtOnce(some, atOnce, async (node) => besideOf({ ironic }, uuidOf(node)))).flat();
    }
  },
});

/** What a move reads of a database, and nothing else. Of histories an older release may have fewer columns, or none. */
export const movedTables = {
  ...tables,
  nodes: {
    key: 'id',
    // Of when, and of which instance, the rest is.
    columns: { ...tables.nodes.columns, updated_at: 'time', instance_uuid: 'text' },
  },
  node_history: {
    key: 'id',
    columns: {
      id: 'number',
      node_id: 'number',
      uuid: 'text',
      created_at: 'time',
      severity: 'text',
      event: 'text',
      event_type: 'text',
      user: 'text',
      project: 'text',
      state: 'text',
      target_provision_state: 'text',
      duration_seconds: 'number',
    },
  },
  node_inventory: {
    key: 'id',
    columns: { id: 'number', node_id: 'number', created_at: 'time', inventory_data: 'text', plugin_data: 'text' },
  },
} as const satisfies ReadTables;

type Table = 'node_history' | 'node_inventory';

/** Nodes whose histories and inventories are in memory at a time. */
const largest = 20;

const columnsIn = async (source: Source, table: Table): Promise<string[]> => {
  const there = new Set(await source.columns(table));
  return Object.keys(movedTables[table].columns).filter((column) => there.has(column));
};

/** A copy, or a row that the source has changed since, is not what the source has. Its fence changes nothing of it. */
const isOfNow = (shown: Values, { updated_at: at }: Row): boolean =>
  [shown, originalOf(shown)].some(({ updated_at = null }) => isSame(updated_at, at));

/** The rows of these nodes that are of now, by number. */
const rowsOfNow = async (source: Source, nodes: readonly Values[]): Promise<ReadonlyMap<number, string>> => {
  const shown = new Map(nodes.map((node) => [uuidOf(node), node]));
  const rows = await source.find('nodes', 'uuid', [...shown.keys()], ['id', 'uuid', 'updated_at']);
  const found = rows.filter((row) => isOfNow(shown.get(row['uuid'] as string)!, row));
  return new Map(found.map(({ id, uuid }) => [id as number, uuid as string]));
};

const jsonIn = (cell: unknown): unknown => (typeof cell === 'string' ? parseJson(cell) : undefined);

const byText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : Number(String(a) > String(b)));
const byNumber = (a: Row, b: Row): number => Number(a['id']) - Number(b['id']);

const inventoriesIn = async (source: Source, numbers: ReadonlyMap<number, string>): Promise<Entry[]> => {
  const rows = await source.find('node_inventory', 'node_id', [...numbers.keys()]);
  const inOrder = rows.toSorted((a, b) => byText(a['created_at'], b['created_at']) || byNumber(a, b));
  // Older releases kept all of a node; the last one counts.
  const last = new Map(inOrder.map((row) => [numbers.get(row['node_id'] as number)!, row]));
  return [...last].map(([node, { inventory_data, plugin_data }]) =>
    inventoryEntry(node, jsonIn(inventory_data), jsonIn(plugin_data) ?? {}),
  );
};

/**
 * Where an Ironic keeps its inventories is its configuration's: in the database, or in an object store of which nothing is
 * here. Answers whether the database has what the API shows, as soon as there is one to compare.
 */
const watchInventories = (ironic: Ironic) => {
  let isInDatabase: boolean | undefined;
  return async (found: readonly Entry[]): Promise<boolean> => {
    const [one] = found;
    if (isInDatabase === undefined && one) {
      const [shown] = await inventoryOf(ironic, one.uuid);
      isInDatabase = shown !== undefined && isSame(shown.record, one.record);
    }
    return isInDatabase ?? false;
  };
};

/** Out of the database as far as that is of now, and by the API otherwise. */
export const besideOfDatabase = async (ironic: Ironic, source: Source): Promise<Beside> => {
  const columns = await columnsIn(source, 'node_history');
  const hasInventories = (await columnsIn(source, 'node_inventory')).length > 0 && ironic.version >= inventory.since;
  const isInDatabase = watchInventories(ironic);

  const byApi = async (of: typeof historyOf, numbers: ReadonlyMap<number, string>): Promise<Entry[]> =>
    (await eachAtOnce([...numbers.values()], atOnce, async (node) => of(ironic, node))).flat();
  const histories = async (numbers: ReadonlyMap<number, string>): Promise<Entry[]> => {
    if (ironic.version < resources.history.since) return [];
    if (columns.length === 0) return byApi(historyOf, numbers);
    const rows = await source.find('node_history', 'node_id', [...numbers.keys()], columns);
    return rows.toSorted(byNumber).map((row) => historyEntry(numbers.get(row['node_id'] as number)!, row));
  };
  const inventories = async (numbers: ReadonlyMap<number, string>): Promise<Entry[]> => {
    const found = hasInventories ? await inventoriesIn(source, numbers) : [];
    if (await isInDatabase(found)) return found;
    return byApi(inventoryOf, numbers);
  };
  return {
    of: async function* (nodes) {
      for (const some of pieces(nodes, largest)) {
        const numbers = await rowsOfNow(source, some);
        const known = new Set(numbers.values());
        yield [...(await histories(numbers)), ...(await inventories(numbers))];
        yield* besideOfApi(ironic).of(some.filter((node) => !known.has(uuidOf(node))));
      }
    },
  };
};
