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
  | { readonly is: 'one of'; readonly attribute: string; readonly values: readonly Scalar[] }
  /** The attribute exists and is strictly smaller than the value. */
  | { readonly is: 'below'; readonly attribute: string; readonly value: string | number };

export const absent: Condition = { is: 'absent' };
export const present: Condition = { is: 'present' };
export const unset = (attribute: string): Condition => ({ is: 'unset', attribute });
export const equals = (attribute: string, value: Scalar): Condition => ({ is: 'equal', attribute, value });
export const oneOf = (attribute: string, values: readonly Scalar[]): Condition => ({ is: 'one of', attribute, values });
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

/**
 * A range of one partition in key order. Without `index` the table itself: partition = pk, sort = sk. With one:
 * partition and sort are the attributes that `indexes` names; items without them are not in it.
 */
export type Query = {
  readonly index?: string;
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

/** A secondary index: `name` is also the partition attribute of the item; the sort attribute is always `position`. */
export type Index = { readonly name: string };

export type Table = {
  /** Strongly consistent. */
  get(key: Key): Promise<Item | undefined>;
  /** Strongly consistent, any number of keys, answers in the order of the keys, absent ones undefined. */
  getMany(keys: readonly Key[]): Promise<(Item | undefined)[]>;
  /**
   * Strongly consistent without `index`; an index may lag behind on AWS (milliseconds to seconds). Items out of an
   * index may be shared with other readers and frozen.
   */
  query(query: Query): Promise<Item[]>;
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
