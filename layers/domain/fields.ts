/**
 * A resource is a table of field rows; validation, projection by microversion, PATCH lists, filters, sort keys,
 * uniqueness guards, indexes and docs/fields.md are read from them (DESIGN.md 3.1). Adding a field is one row.
 */
import type { z } from 'zod';

import { NotAcceptable } from './fault.ts';
import type { Rule } from './policy.ts';

/**
 * `create`: settable in POST only. `update`: settable in POST and PATCH. `patch`: PATCH only. `read`: set by Ingot.
 */
export type Access = 'create' | 'update' | 'patch' | 'read';

/** Who does not see the value of a field, and what they read in its place, also in place of null. */
export type Withheld = {
  readonly notice: unknown;
  /** Who passes one of these rules for the record sees the value; absent: nobody does. */
  readonly unless?: readonly Rule[];
  /** Only of records whose field of this name is true; absent: of every record. */
  readonly when?: string;
};

/** How a field is filtered by, where that does not follow from its row. */
export type FieldFilter = {
  /** The microversion 1.N of the parameter; default: that of the field. */
  readonly since?: number;
  /** What the parameter takes; default: any text of a text, of others what the field takes. */
  readonly schema?: z.ZodType;
  /** The parameter is a comma list of values. */
  readonly many?: true;
  /** When several filters have an index, the one with the lowest is read: it usually keeps fewest. */
  readonly rank?: number;
  /** The value names a record of this kind by UUID or name, which has to be there (404). */
  readonly names?: 'node' | 'portgroup';
};

/** Kinds of secrets that stand in the middle of records: only the first ever goes to a machine. */
export type SealedKind = 'step_argument' | 'volume_property';

export type Field = {
  readonly access: Access;
  readonly schema: z.ZodType;
  /** For the documents: what answers have, where that is not what is taken or stored. */
  readonly shownAs?: z.ZodType | ((version: number) => z.ZodType);
  readonly doc: string;
  /** The microversion N (of 1.N or 2.N) that introduced it; absent means the first. */
  readonly since?: number;
  /** The last microversion that has it. */
  readonly until?: number;
  /** The microversion from which POST takes it, if answers have it before. */
  readonly givenSince?: number;
  /** POST has to give it unless it has a default (or is the uuid); PATCH can not remove it. */
  readonly required?: true;
  /** Value when not given; without it the field is null. JSON fields have `{}` or `[]`, which makes them never null. */
  readonly default?: unknown;
  /** The extension of Nova's or Neutron's that begins its name on the wire: `OS-EXT-STS` makes `OS-EXT-STS:vm_state`. */
  readonly extension?: string;
  /** Also shown at `/states`, without the rest of the node. */
  readonly state?: true;
  /** Part of the brief form in lists. */
  readonly summary?: true;
  /** A guard item `unique#<name>#<value>` is written with the record: a second one is refused with 409. */
  readonly unique?: string;
  /** Only among the records with the same value of this field is it unique. */
  readonly within?: string;
  /** The list has a filter of this name. */
  readonly filter?: true | FieldFilter;
  /** Records are found by its value without reading the others: a filter by it never reads the fleet. */
  readonly index?: true;
  /** Kept out of the stored record because it is computed when shown (links, conductor). */
  readonly computed?: true;
  /** Computed as the two links to this place below the record; '' is the record itself. */
  readonly links?: string;
  /**
   * Shown with secrets masked: what has the name of one, at any depth, and what the value holds under the names of a
   * list. A mask that comes back in a PATCH means unchanged.
   */
  readonly masked?: true | readonly string[];
  /** Secrets in its value are stored sealed (layers/bmc/sealed-parts.ts), as this kind; besides `masked`. */
  readonly sealed?: SealedKind;
  readonly withheld?: Withheld;
  /** What a PATCH of it needs, by a rule of its own besides that of its resource. */
  readonly rule?: Rule;
  /** How an older microversion shows the value (provision_state `available` is null below 1.2). */
  readonly was?: (value: unknown, version: number) => unknown;
};

export type Fields = { readonly [name: string]: Field };

/** The stored type of a resource: a row with a default is never null, any other may be. */
export type RecordOf<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends { computed: true } ? never : K]: F[K] extends { default: unknown }
    ? z.output<F[K]['schema']>
    : F[K] extends { required: true }
      ? z.output<F[K]['schema']>
      : z.output<F[K]['schema']> | null;
};

/** Gives the rows their literal types. */
export const fields = <const F extends Fields>(rows: F): F => rows;

/** Whether a row is there at a microversion. */
export const isKnown = (
  { since = 1, until = Infinity }: { readonly since?: number; readonly until?: number },
  version: number,
): boolean => since <= version && version <= until;

/** The fields that exist at a microversion. */
export const known = (rows: Fields, version: number): [string, Field][] =>
  Object.entries(rows).filter(([, field]) => isKnown(field, version));

/** What a field is called on the wire. */
export const wireName = (name: string, { extension }: Pick<Field, 'extension'>): string =>
  extension === undefined ? name : `${extension}:${name}`;

/** Too new is 406; a name that never existed is left to the schema (400). Works for fields, filters and verbs alike. */
export const refuseNewer = (
  table: { readonly [name: string]: { readonly since?: number } },
  version: number,
  names: Iterable<string>,
): void => {
  for (const name of names) {
    const since = Object.hasOwn(table, name) ? (table[name]?.since ?? 1) : 1;
    if (since > version) {
      throw NotAcceptable(
        `Request not acceptable. ${name} needs API version 1.${since} or newer, this request asked for 1.${version}.`,
      );
    }
  }
};

/** The rules that a change of these fields needs; `otherwise` stands for those of fields that name none. */
export const rulesOf = (rows: Fields, names: readonly string[], otherwise?: Rule): Rule[] =>
  names.flatMap((name) => (Object.hasOwn(rows, name) ? rows[name]!.rule : undefined) ?? otherwise ?? []);

/** A new record's values: what was given, else the row's default, else null. */
export const defaults = (rows: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(rows)
      .filter(([, field]) => !field.computed)
      .map(([name, field]) => [name, structuredClone(field.default ?? null)]),
  );
