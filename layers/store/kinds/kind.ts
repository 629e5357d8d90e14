/**
 * A kind of record as one row: where its items stand, what their fields are, what unique values they hold, by what
 * lists find them, what goes with a change of one. The engine (layers/store/records) reads these rows and nothing else.
 */
import type { Fields } from '../../domain/fields.ts';
import type { Ids } from '../../platform/platform.ts';
import type { Key, Table, Write } from '../../platform/table.ts';
import type { NodeEvent } from '../events.ts';
import type { Beside } from '../records/plan.ts';
import { partition } from './key.ts';

/**
 * What every record has besides its fields: its place in lists (the ULID of its creation), the count of its writes, and
 * a mark of who began to refer to it last.
 */
export type Kept = {
  readonly uuid: string;
  readonly position: string;
  readonly revision: number;
  readonly referred?: string;
};

type Value = string | number | boolean | null | undefined;

/** By what lists find records. */
export type Index<R> = {
  /** The value under which a record is found, or several; null and undefined: under none. */
  of(record: R): Value | readonly Value[];
  /** Its entries hold the brief of the record, so that a list that shows no more than that reads nothing else. */
  readonly brief?: true;
};

/** From one version of a schema to the next: the values of an item, without effects. */
export type Upgrade = (values: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

/** A record that another one refers to. `gone` tells a client that it is not there any more; without it: try again. */
export type Reference = { readonly key: Key; readonly gone?: string };

/** The record that others belong to, such as the node of a port: `by` is the field that names it. */
export type Home<H extends Kept> = { readonly kind: Kind<H>; readonly by: string };

/** `R`: the record, `H`: what it belongs to. */
export type Kind<R extends Kept, H extends Kept = never> = {
  /** Begins keys and guards, such as `node`. */
  readonly name: string;
  /** How messages call one, such as "Volume connector". */
  readonly title: string;
  /**
   * What is said when a value is taken, by the `unique` of its row, with * for the value, or {own} for it without what it
   * is unique within. `uuid`: of records that are found by their UUID without a guard.
   */
  readonly taken: Readonly<Record<string, string>>;
  readonly fields: Fields;
  /** What a record has besides its fields, as it begins; clients never see it. */
  readonly kept?: Readonly<Record<string, unknown>>;
  /**
   * Records of this kind stand in the partition of another record. Each change depends on the revision of that one, so
   * that nothing of a node changes under a run that meanwhile began.
   */
  readonly home?: Home<H>;
  /** Fields that are kept apart, in an item `<field>` of the same partition. */
  readonly apart?: readonly string[];
  /** Others stand in its partition, which go when it goes. */
  readonly holds?: true;
  /** The UUID of one that went is never taken again: what others trust under it could be a stranger's. */
  readonly once?: true;
  /**
   * The version of the form in which items are stored, and of what `indexes` find; `upgrades[0]` leads from 1 to 2. An
   * item says which it has, and tables follow (ADR 16).
   */
  readonly schema: number;
  readonly upgrades: readonly Upgrade[];
  /** Indexes besides those of the fields with the column `index`. */
  readonly indexes?: Readonly<Record<string, Index<R>>>;
  /** Fields of the brief besides those with the column `summary`: what lists look at. */
  readonly brief?: readonly string[];
  /** Indexes whose entries hold the brief, besides the one of everything. */
  readonly briefIn?: readonly string[];
  /** What it refers to, and what must not go meanwhile. */
  refersTo?(record: R): Reference | undefined;
  /** Values that follow from a change, which was made at `at` (ISO 8601). */
  stamps?(before: R, after: R, at: string): Partial<R>;
  /**
   * How a line of its history is written, at a time (ISO 8601), in the transaction of the change that it tells of; absent:
   * it has none.
   */
  line?(record: R, event: NodeEvent, at: string, ids: Ids): Write;
  /** The line of history that a change is worth, unless the change tells it otherwise. */
  tells?(before: R, after: R): NodeEvent | undefined;
  /** Changes of other records that a change brings with it; without `after` it goes. */
  brings?(table: Table, before: R, after: R | undefined): Promise<readonly Beside[]>;
};

/** A kind of these records, whatever they belong to. */
// oxlint-disable-next-line typescript/no-explicit-any -- whoever does not look at the home does not care
export type KindOf<R extends Kept> = Kind<R, any>;

/** Any kind, where only the row counts. */
// oxlint-disable-next-line typescript/no-explicit-any -- what the functions of a row take is known to its own kind only
export type AnyKind = Kind<any, any>;

/** The partition of a record, and of all that belongs to it. */
export const partitionOf = ({ name }: Pick<AnyKind, 'name'>, uuid: string): string => partition(name, uuid);

const prefixOf = ({ name }: Pick<AnyKind, 'name'>): string => `${name}#`;

/** The query for all records of a kind that belong to another one (by UUID). */
export const belongingTo = (kind: AnyKind, home: string) => ({
  partition: partitionOf(kind.home!.kind, home),
  begins: prefixOf(kind),
});

/** Where a record stands, without what is kept apart of it. `home`: the UUID of what it belongs to. */
export const keyOf = (kind: Pick<AnyKind, 'name' | 'home'>, uuid: string, home?: string): Key =>
  kind.home
    ? { pk: partitionOf(kind.home.kind, home!), sk: prefixOf(kind) + uuid }
    : { pk: partitionOf(kind, uuid), sk: kind.name };

/** What stays of a record whose UUID is never taken again. */
export const goneKey = (kind: Pick<AnyKind, 'name'>, uuid: string): Key => ({
  pk: partitionOf(kind, uuid),
  sk: 'gone',
});

/** Where a field stands that is kept apart. */
export const apartKey = (kind: Pick<AnyKind, 'name'>, uuid: string, field: string): Key => ({
  pk: partitionOf(kind, uuid),
  sk: field,
});
