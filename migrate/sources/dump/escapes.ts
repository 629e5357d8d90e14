/** What stands behind a backslash, in texts of MySQL and PostgreSQL and in the lines of COPY. */

const letters: { readonly [letter: string]: string } = { b: '\b', n: '\n', r: '\r', t: '\t' };

const mysql: { readonly [letter: string]: string } = { ...letters, 0: '\0', Z: '\x1a' };

/** Of a text of MySQL. `\%` and `\_` are for patterns, and keep their backslash. */
export const unescapeMysql = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\([^])/g, (both, one: string) => (one === '%' || one === '_' ? both : (mysql[one] ?? one)))
    : text;

const postgresql: { readonly [letter: string]: string } = { ...letters, f: '\f', v: '\v' };

/** Bytes by number, of which several make one character. */
const bytes = /(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+/g;
const character = /\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([^])/g;

const ofBytes = (run: string): string =>
  Buffer.from(
    run
      .split('\\')
      .slice(1)
      .map((one) => (one.startsWith('x') ? Number.parseInt(one.slice(1), 16) : Number.parseInt(one, 8))),
  ).toString('utf8');

/** Of an E'' text of PostgreSQL, and of a field of COPY. */
export const unescapePostgresql = (text: string): string => {
  if (!text.includes('\\')) return text;
  // A doubled backslash is none before a number.
  const parts = text
    .split('\\\\')
    .map((part) =>
      part
        .replace(bytes, ofBytes)
        .replace(character, (_, four?: string, eight?: string, one?: string) =>
          one === undefined ? String.fromCodePoint(Number.parseInt((four ?? eight)!, 16)) : (postgresql[one] ?? one),
        ),
    );
  return parts.join('\\');
};

/** A line of COPY's text form as its fields; `\N` is NULL. */
export const copyFields = (line: string): (string | null)[] =>
  line.split('\t').map((field) => (field === '\\N' ? null : unescapePostgresql(field)));
