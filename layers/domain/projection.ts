/** From a record to what a client sees of it: at its microversion, with its rights, and never a secret. */
import * as z from 'zod';

import { known, wireName, type Field, type Fields, type Withheld } from './fields.ts';
import { maskField } from './masking.ts';
import { allows, type Owned, type Subject } from './policy.ts';
import { json } from './values.ts';

/** The two links of a thing: `self` with /v1, `bookmark` without. An empty id is the collection itself. */
export const resourceLinks = (base: string, collection: string, id: string) => [
  { href: `${base}/v1/${collection}/${id}`, rel: 'self' },
  { href: `${base}/${collection}/${id}`, rel: 'bookmark' },
];

/** The row of a field that links to a place below the record. */
export const linksTo = <P extends string>(links: P, doc: string) =>
  ({ access: 'read', schema: z.array(json), computed: true, links, doc }) as const;

/** The row of the links to the record itself. */
export const ownLinks = { ...linksTo('', 'Self and bookmark.'), summary: true } as const;

/** All fields, those of the brief form, or the named ones; links always come along. */
export type Want = 'all' | 'summary' | readonly string[];

/** Who looks: at which microversion, under which address (without a trailing slash and without /v1), with which rights. */
export type Viewer = { readonly version: number; readonly base: string; readonly subject: Subject };

/** Makes the value of a field that is not stored, or is shown differently from how it is stored. */
export type Shown<R> = { readonly [name: string]: (record: R, viewer: Viewer) => unknown };

/** What of the records is not in their table. */
export type About<R> = {
  /** Where they are below /v1, such as volume/targets; needed by tables with links. */
  readonly at?: string;
  /** What a path names one by; default: its uuid. */
  ident?(record: R): string;
  readonly shown?: Shown<R>;
  /** Whose they are; default: each one's own owner and lessee. */
  readonly owned?: Owned;
};

const wanted = (want: Want, name: string, row: Field): boolean => {
  if (want === 'all') return true;
  if (want === 'summary') return row.summary === true;
  return want.includes(name) || name === 'links';
};

const nothing: readonly string[] = [];

const sees = ({ unless }: Withheld, subject: Subject, owned?: Owned): boolean =>
  unless?.some((rule) => allows(rule, subject, owned)) ?? false;

/** What the caller sees of every record is asked once, so that for most callers a record costs nothing. */
const withheldOf = (columns: readonly [string, Field][], subject: Subject) => {
  const asked = columns.filter(([, { withheld }]) => withheld && !sees(withheld, subject));
  if (asked.length === 0) return () => nothing;
  return (record: object, owned: Owned = record): readonly string[] =>
    asked
      .filter(([, { withheld }]) => {
        const { when } = withheld!;
        const concerned = when === undefined || (record as Readonly<Record<string, unknown>>)[when] === true;
        return concerned && !sees(withheld!, subject, owned);
      })
      .map(([name]) => name);
};

/** What a rule looks at to say whose a record is. */
const ownership = ['owner', 'lessee', 'public'] as const satisfies (keyof Owned)[];

/**
 * The fields that are read to show records of this table, and to say whose they are; undefined: any. `also`: the key
 * that they are sorted by.
 */
export const readToShow = (rows: Fields, want: Want, also: readonly string[] = []): readonly string[] | undefined => {
  if (want === 'all') return undefined;
  const columns = Object.entries(rows).filter(([name, row]) => wanted(want, name, row) || also.includes(name));
  return [
    ...columns.filter(([, { computed }]) => !computed).map(([name]) => name),
    ...columns.flatMap(([, { withheld }]) => withheld?.when ?? []),
    ...ownership.filter((name) => Object.hasOwn(rows, name)),
  ];
};

/** Makes the function that names the fields of a record that this caller may not see. */
export const withheldFrom = (rows: Fields, subject: Subject): ((record: object, owned?: Owned) => readonly string[]) =>
  withheldOf(Object.entries(rows), subject);

/** Makes the function that says whether this caller may not see this field of a record: an order by it would tell. */
export const hiding = (rows: Fields, subject: Subject, name: string): ((record: object, owned?: Owned) => boolean) => {
  const namesOf = withheldFrom(rows, subject);
  return (record, owned) => namesOf(record, owned).includes(name);
};

/**
 * Makes the function that shows records of this table: fields that are newer than the viewer's version are left out, a
 * value that is not there is its default, older versions see what they knew (`was`), secrets are masked, and what is
 * withheld from the viewer is its notice.
 */
export const projector = <R extends object>(rows: Fields, viewer: Viewer, want: Want, about: About<R> = {}) => {
  const columns = known(rows, viewer.version).filter(([name, row]) => wanted(want, name, row));
  const hidden = withheldOf(columns, viewer.subject);
  const { at = '', shown = {}, owned, ident = (record) => (record as { uuid?: string }).uuid ?? '' } = about;
  const linksOf = (record: R, below: string) =>
    below === ''
      ? resourceLinks(viewer.base, at, ident(record))
      : resourceLinks(viewer.base, `${at}/${ident(record)}`, below);
  const made = (record: R, name: string, { links }: Field): unknown => {
    if (shown[name]) return shown[name](record, viewer);
    return links === undefined ? (record as Record<string, unknown>)[name] : linksOf(record, links);
  };
  return (record: R): Record<string, unknown> => {
    const withheld = hidden(record, owned);
    const result: Record<string, unknown> = {};
    for (const [name, row] of columns) {
      const called = wireName(name, row);
      if (withheld.includes(name)) {
        result[called] = row.withheld!.notice;
        continue;
      }
      const value = made(record, name, row) ?? row.default ?? null;
      const safe = row.masked ? maskField(row.masked, value) : value;
      result[called] = row.was ? row.was(safe, viewer.version) : safe;
    }
    return result;
  };
};
