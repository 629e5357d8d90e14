/** The pages of lists (compute-api.md 3). */
import { Invalid } from '../../layers/domain/fault.ts';
import type { Call } from './route.ts';

/** A larger limit is silently this one. */
const maxLimit = 1000;

/** How many records a page has. Throws Invalid (400). */
export const readLimit = ({ query }: Pick<Call, 'query'>): number => {
  const text = query['limit']?.[0];
  if (text === undefined) return maxLimit;
  if (!/^\d{1,9}$/.test(text)) throw Invalid(`Invalid value for limit: "${text}" is not a number of records.`);
  return Math.min(Number(text), maxLimit);
};

/** The link to the page after `last`, under the name it has beside the list. `path`: such as /v2.1/os-keypairs. */
export const nextLinks = ({ base, query }: Call, path: string, name: string, last: string | undefined): object => {
  if (last === undefined) return {};
  const kept = Object.entries(query)
    .filter(([key]) => key !== 'marker')
    .flatMap(([key, values]) => values.map((value): [string, string] => [key, value]));
  const search = new URLSearchParams([...kept, ['marker', last]]);
  return { [`${name}_links`]: [{ rel: 'next', href: `${base}${path}?${search.toString()}` }] };
};
