/** The sort keys a query asks for, as one range: what `begins`, `after` and `before` have in common. */
import { compareText } from './evaluate.ts';
import type { Query } from './table.ts';

/** `low` is part of the range unless `open`; `high` never is. Without one the range has no end on that side. */
export type Range = { readonly low?: string; readonly open?: boolean; readonly high?: string };

const largest = 0x10ffff;
const followers = (code: number) => (code === 0xd7ff ? 0xe000 : code + 1);

/** The smallest string above all strings that begin with this; undefined if there is none. */
const above = (prefix: string): string | undefined => {
  const codes = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (codes.at(-1) === largest) codes.pop();
  const last = codes.pop();
  return last === undefined ? undefined : String.fromCodePoint(...codes, followers(last));
};

const lower = (a: string | undefined, b: string | undefined) =>
  a === undefined || (b !== undefined && compareText(b, a) < 0) ? b : a;

/** The range of a query; undefined if nothing can be in it. */
export const rangeOf = ({ begins = '', after = '', before }: Query): Range | undefined => {
  const open = after !== '' && compareText(after, begins) >= 0;
  const low = open ? after : begins;
  const high = lower(above(begins), before);
  if (high !== undefined && compareText(low, high) >= 0) return undefined;
  return { ...(low !== '' && { low, open }), ...(high !== undefined && { high }) };
};

/** Whether a sort key lies in the range. */
export const isWithin = ({ low, open, high }: Range, sort: string): boolean => {
  const distance = low === undefined ? 1 : compareText(sort, low);
  return distance >= (open ? 1 : 0) && (high === undefined || compareText(sort, high) < 0);
};
