/** Items as they were parsed, by the ids of their rows. */
import type { Item } from '../../layers/platform/table.ts';

export type Kept = {
  get(id: number): Item | undefined;
  /** Parses the body of a row, freezes the item because it is shared from now on, and keeps it. */
  add(id: number, body: string): Item;
};

type Generation = { readonly items: Map<number, Item>; characters: number };

const newGeneration = (): Generation => ({ items: new Map(), characters: 0 });

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

/**
 * Keeps the items of the last `characters` of JSON that were added, and up to as many that came before: when one
 * half is full, the other is forgotten.
 */
export const createKept = (characters: number): Kept => {
  let young = newGeneration();
  let old = newGeneration();

  const keep = (id: number, item: Item, size: number): Item => {
    if (young.characters + size > characters) [old, young] = [young, newGeneration()];
    young.items.set(id, item);
    young.characters += size;
    return item;
  };

  return {
    get: (id) => young.items.get(id) ?? old.items.get(id),
    add: (id, body) => keep(id, freeze(JSON.parse(body) as Item), body.length),
  };
};
