/**
 * What the last inspection of a node found, with the node. It is kept as JSON text: an item of the table takes neither
 * every number nor every depth that JSON has. What is too large for an item is an object that the item refers to.
 */
import type { Inspected } from '../domain/inspection.ts';
import type { Platform } from '../platform/platform.ts';
import type { Table, Write } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';

/** What the keys of all stored inventories begin with whose node's UUID begins so. */
export const inventoriesOf = (start: string): string => `inventories/${start}`;

/** Bytes of text that stay in the table; an item takes 400 KB (layers/platform/limits.ts). */
const maxInline = 300 * 1024;

/**
 * The write that makes this the node's inventory, for the transaction of the change that it belongs to. A large one is
 * stored before; should the write not follow, or replace another, `sync` sweeps the object that nothing refers to.
 */
export const inventoryWrite = async (
  { objects, ids }: { readonly objects: Pick<Platform['objects'], 'put'>; readonly ids: Platform['ids'] },
  uuid: string,
  { inventory, plugin_data }: Inspected,
): Promise<Write> => {
  const text = JSON.stringify({ inventory, plugin_data });
  const bytes = Buffer.from(text);
  if (bytes.length <= maxInline) return companions.inventory.put(uuid, { text });
  const object = `${inventoriesOf(uuid)}/${ids.ulid()}`;
  await objects.put(object, bytes, 'application/json');
  return companions.inventory.put(uuid, { object });
};

/** The object that holds the node's inventory; undefined if none does. */
export const inventoryObject = async (table: Pick<Table, 'get'>, uuid: string): Promise<string | undefined> =>
  (await companions.inventory.read(table, uuid))?.object;

/** The text of `{inventory, plugin_data}`; undefined for a node that was never inspected. */
export const readInventoryText = async (
  { table, objects }: { readonly table: Pick<Table, 'get'>; readonly objects: Pick<Platform['objects'], 'get'> },
  uuid: string,
): Promise<string | undefined> => {
  const { text, object } = (await companions.inventory.read(table, uuid)) ?? {};
  if (object === undefined) return text;
  const bytes = await objects.get(object);
  return bytes && Buffer.from(bytes).toString('utf8');
};

/** The same, parsed. */
export const readInventory = async (
  platform: Parameters<typeof readInventoryText>[0],
  uuid: string,
): Promise<Inspected | undefined> => {
  const text = await readInventoryText(platform, uuid);
  return text === undefined ? undefined : (JSON.parse(text) as Inspected);
};
