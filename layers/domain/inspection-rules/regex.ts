/** Regular expressions of rules are written for Python; what differs there is translated. */
import { Invalid } from '../fault.ts';

/** Flags at the start, such as (?i), as they stand in Python. */
const leadingFlags = /^\(\?([ims]+)\)/;

const translate = (body: string): string =>
  body
    .replaceAll('(?P<', '(?<')
    .replaceAll(String.raw`\A`, '^')
    .replaceAll(String.raw`\Z`, '$');

/** The expression with Python's forms understood. `whole`: it has to match all of a text. Throws Invalid (400). */
export const compileRegex = (pattern: string, { whole = false } = {}): RegExp => {
  const flags = leadingFlags.exec(pattern);
  const body = translate(flags ? pattern.slice(flags[0].length) : pattern);
  try {
    return new RegExp(whole ? `^(?:${body})$` : body, flags?.[1] ? [...new Set(flags[1])].join('') : '');
  } catch (error) {
    throw Invalid(`"${pattern}" is not a regular expression.`, error);
  }
};
