/**
 * The one table (DESIGN.md 4). Items are JSON objects under a two-part key. Conditions are data, so that
 * DynamoDB can compile them to expressions and the other implementations can evaluate them.
 */
import { Fault } from '../domain/fault.ts';

export type Key = { readonly pk: string; readonly sk: string };
export type Item = Key & { readonly [attribute: string]: unknown };
export type Scalar = string | number | boolean;

/** What must hold of the stored item for a write to happen. Attributes are top-level names. */
export type Condition =
  | { readonly is: 'absent' }
  | { readonly is: 'present' }
  /** The attribute does not exist or is null. */
  | { readonly is: 'unset'; readonly attribute: string }
  | { readonly is: 'equal'; readonly attribute: string; readonly value: Scalar }
  /** The attribute exists and is strictly smaller than the value. */
  | { readonly is: 'below'; readonly attribute: string; readonly value: string | number };

export const absent: Condition = { is: 'absent' };
export const present: Condition = { is: 'present' };
export const unset = (attribute: string): Condition => ({ is: 'unset', attribute });
export const equals = (attribute: string, value: Scalar): Condition => ({ is: 'equal', attribute, value });
export const below = (attribute: string, value: string | number): Condition => ({ is: 'below', attribute, value });

/** All conditions of `when` must hold. An update of an absent item creates it unless `when` has `present`. */
export type Write =
  | { readonly put: Item; readonly when?: readonly Condition[] }
  | {
      readonly update: Key;
      /** Attributes to write; `undefined` values are refused, null is stored. */
      readonly set?: { readonly [attribute: string]: unknown };
      readonly remove?: readonly string[];
      readonly when?: readonly Condition[];
    }
  | { readonly delete: Key; readonly when?: readonly Condition[] }
  | { readonly check: Key; readonly when: readonly Condition[] };

/** A range of one partition (pk) in the order of the sort keys (sk). */
export type Query = {
  readonly partition: string;
  readonly begins?: string;
  /** Exclusive lower bound of the sort key. */
  readonly after?: string;
  /** Exclusive upper bound of the sort key. */
  readonly before?: string;
  readonly descending?: boolean;
  /** At most so many items; the adapter pages underneath (DynamoDB: 1 MB a call). */
  readonly limit?: number;
};

/** A part of the whole table; `next` is where the rest begins, undefined at the end. */
export type Scanned = { readonly items: readonly Item[]; readonly next: Key | undefined };

/** Reads are strongly consistent, and what they answer may be shared with other readers: nobody changes it. */
export type Table = {
  get(key: Key): Promise<Item | undefined>;
  /**
   * Any number of keys, answers in the order of the keys, absent ones undefined. `stale`: an item may be as it was a
   * moment ago, or be missing that was just made, for half the price.
   */
  getMany(keys: readonly Key[], options?: { readonly stale?: boolean }): Promise<(Item | undefined)[]>;
  query(query: Query): Promise<Item[]>;
  /**
   * About `limit` items after a key, in an order of the table's own that stays the same: all of them come, also those
   * that are written meanwhile elsewhere, but not what is written behind. It costs the whole table; only upgrades do it.
   */
  scan(options: { readonly after?: Key | undefined; readonly limit: number }): Promise<Scanned>;
  /**
   * All or nothing, at most 100 writes, each to another key (DynamoDB TransactWriteItems).
   * Durable when it returns. Throws ConditionFailed; the index tells which write was refused.
   */
  write(writes: readonly Write[]): Promise<void>;
};

/** A condition did not hold; nothing was written. `item` is the stored item that refused, if there is one. */
export class ConditionFailed extends Fault {
  readonly index: number;
  readonly item: Item | undefined;

  constructor(index: number, item?: Item) {
    super('ConditionFailed', 409, `Write ${index} was refused because its condition did not hold.`);
    this.index = index;
    this.item = item;
  }
}

export const isConditionFailed = (error: unknown): error is ConditionFailed => error instanceof ConditionFailed;
