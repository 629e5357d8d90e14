/**
 * References of the kind that comments have: `<book>.md 2.1, 5 rows 5-8`, `DESIGN 7`, `ADR 9`. Read out of any text, and
 * what of them leads somewhere.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** With its slash at the end. */
export const root = new URL('../..', import.meta.url).pathname;

/** Of a file of the repository. */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** What others made, and what is made here but by no hand. */
const isForeign = (path: string): boolean =>
  /^(?:cdk\.out|coverage|test\/fixtures|package-lock\.json|\.(?!ci\b).*)(?:\/|$)|(?:^|\/)(?:node_modules|__pycache__)(?:\/|$)/.test(
    path,
  );

/** Files that people write, in all folders there are: one that is added later counts without a word here. */
export const texts: readonly string[] = globSync(['**/*.{ts,js,mjs,py,sh,md,dot,json}', '.ci/*'], {
  cwd: root,
  exclude: isForeign,
})
  .filter((file) => !isForeign(file))
  .toSorted();

/** A section of a book (`4.1`), or the row of a table in it (`5 row 8`). */
export type Reference = { readonly book: string; readonly section: string; readonly row?: string };

/** A comment that goes on in the next line, as one line. */
const joined = (text: string): string => text.replaceAll(/\s*\n[ \t]*(?:\*(?!\/)|\/\/|#(?!#)|>)?[ \t]*/g, ' ');

const number = /^\d+(?:\.\d+)*/;

/** From..to, if both differ in their last part only. */
const span = (from: string, to: string): string[] => {
  const [start, end] = [from.split('.'), to.split('.')];
  const [first, last] = [Number(start.at(-1)), Number(end.at(-1))];
  if (start.length !== end.length || !(last > first)) return [from, to];
  return Array.from({ length: last - first + 1 }, (_, at) => [...start.slice(0, -1), first + at].join('.'));
};

/** The sections and rows that stand behind the name of a book; empty if it is named as a whole. */
const listed = (text: string, book: string): Reference[] => {
  const found: Reference[] = [];
  let rest = text;
  let rows: string | undefined;
  const take = (pattern: RegExp): string | undefined => {
    const [hit] = pattern.exec(rest) ?? [];
    if (hit !== undefined) rest = rest.slice(hit.length);
    return hit;
  };
  for (let first = true; ; first = false) {
    const before = rest;
    const isRange = !first && take(/^(?: to | ?[-–] ?)(?=\d)/) !== undefined;
    if (!isRange) take(first ? /^,?[ ]+(?:sections? )?(?=\d)/ : /^(?:,| and|, and)? ?(?=(?:sections? |rows? )?\d)/);
    if (!first && take(/^(?:sections?) (?=\d)/)) rows = undefined;
    if (!first && take(/^rows? (?=\d)/)) rows = found.at(-1)!.section;
    const next = before === rest ? undefined : take(number);
    // A number that begins a word or a measure (`2 MB`, `100,000`) is none of a section.
    if (next === undefined || /^[\w%]/.test(rest)) return found;
    const last = found.at(-1);
    const values = isRange && last ? span((rows && last.row) ?? last.section, next).slice(1) : [next];
    found.push(
      ...values.map((value) => (rows === undefined ? { book, section: value } : { book, section: rows, row: value })),
    );
  }
};

const behind = (pattern: RegExp, text: string) =>
  [...text.matchAll(pattern)].map((hit) => ({ name: hit[1]!, rest: text.slice(hit.index + hit[0].length) }));

/** The references to sections of these books; one without a number is a reference to the book (section empty). */
export const referencesIn = (text: string, books: readonly string[]): Reference[] => {
  const names = books.map((book) => book.replaceAll('.', String.raw`\.`)).join('|');
  const whole = joined(text);
  const bySection = behind(new RegExp(String.raw`(?<![\w-])(${names})\.md\b\`?(?:\]\([^)]*\))?`, 'g'), whole);
  // The design is called by its name alone, too.
  const design = behind(/(?<![\w./-])(DESIGN)(?= \d)/g, whole);
  return [...bySection, ...design].flatMap(({ name, rest }) => {
    const found = listed(rest, name);
    return found.length > 0 ? found : [{ book: name, section: '' }];
  });
};

/** The numbers of the decisions that a text refers to. */
export const decisionsIn = (text: string): string[] => {
  const whole = joined(text);
  const named = behind(/\b(ADRs?)(?= \d)/g, whole).flatMap(({ rest }) => listed(rest, 'ADR'));
  const paths = [...whole.matchAll(/docs\/adr\/(\d+)(?!\d)/g)].map(([, digits]) => ({ section: digits! }));
  return [...named, ...paths].map(({ section }) => String(Number(section)));
};

/** What a book has: its numbered sections, and the numbered rows of the tables in each. */
export type Contents = ReadonlyMap<string, ReadonlySet<string>>;

/** Sections are headings that begin with a number; rows are those whose first cell is one. */
export const contentsOf = (book: string): Contents => {
  const sections = new Map<string, Set<string>>();
  let rows = new Set<string>();
  for (const line of book.split('\n')) {
    const [, section] = /^#{2,4} (\d+(?:\.\d+)*)\.? /.exec(line) ?? [];
    if (section !== undefined) sections.set(section, (rows = new Set()));
    const [, row] = /^\| *(\d+) *\|/.exec(line) ?? [];
    if (row !== undefined) rows.add(row);
  }
  return sections;
};

/** Headings of a page by the names that links call them by (GitHub's). */
export const anchorsOf = (page: string): ReadonlySet<string> => {
  const seen = new Map<string, number>();
  const prose = page.replaceAll(/^```.*?^```/gms, '');
  return new Set(
    [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const plain = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const name = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
};

/** Where the links of a page lead; what stands in code is no link. */
export const linksIn = (page: string): string[] => {
  const prose = page.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
};
