/** What a list of images is asked for: filters, order and page, as Glance reads them. Pure. */
import { Invalid } from '../fault.ts';
import type { Query } from '../page.ts';
import { image, visibilities, type Image } from './image.ts';
import { memberStatuses } from './member.ts';
import type { View } from './visibility.ts';

/** An image as it is compared: with its ID, and with the time of its creation for one that was never changed. */
export type Compared = Omit<Image, 'properties' | 'updated_at'> & {
  readonly uuid: string;
  readonly properties: Image['properties'];
  readonly updated_at: string | null;
};

type Test = (image: Compared) => boolean;

const valueOf = (one: Compared, name: string): unknown => {
  if (name === 'id') return one.uuid;
  if (name === 'updated_at') return one.updated_at ?? one.created_at;
  return one[name as keyof Compared];
};

/** `in:a,"b, c"`, `eq:a` or `a`. */
const operatorOf = (text: string): [operator: string, value: string] => {
  const at = text.indexOf(':');
  return at < 0 ? ['eq', text] : [text.slice(0, at), text.slice(at + 1)];
};

/** The values of a comma list, of which those in quotation marks may have commas. Throws Invalid (400) for a mark that is left open. */
const listed = (text: string): string[] => {
  const found: string[] = [];
  for (let at = 0; at < text.length;) {
    const isQuoted = text[at] === '"';
    const end = text.indexOf(isQuoted ? '"' : ',', at + 1);
    if (isQuoted && end < 0) throw Invalid('Invalid filter value: a quotation mark is not closed.');
    found.push(isQuoted ? text.slice(at + 1, end) : text.slice(at, end < 0 ? undefined : end));
    const comma = isQuoted ? end + 1 : end < 0 ? text.length : end;
    if (isQuoted && comma < text.length && text[comma] !== ',') {
      throw Invalid('Invalid filter value: after a closing quotation mark comes a comma.');
    }
    at = comma + 1;
  }
  return found;
};

/** Fields that one value or a list of them may be asked for. */
const chosen = (name: string, text: string): Test => {
  const [operator, value] = operatorOf(text);
  const wanted = operator === 'in' ? listed(value) : operator === 'eq' ? [value] : undefined;
  if (!wanted) throw Invalid(`Unable to filter by unknown operator '${operator}'.`);
  return (one) => wanted.includes(valueOf(one, name) as string);
};

const orders: Readonly<Record<string, (value: number, than: number) => boolean>> = {
  gt: (value, than) => value > than,
  gte: (value, than) => value >= than,
  lt: (value, than) => value < than,
  lte: (value, than) => value <= than,
  eq: (value, than) => value === than,
  neq: (value, than) => value !== than,
};

/** A time has colons, so only what stands before the first of them can be an operator. */
const time = (name: string, text: string): Test => {
  const [, operator = 'eq', moment = ''] = /^(?:([a-z]+):)?(.*)$/s.exec(text)!;
  const compare = Object.hasOwn(orders, operator) ? orders[operator] : undefined;
  if (!compare) throw Invalid('Unable to filter on a unknown operator.');
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/.test(moment);
  const threshold = isTime ? Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(moment) ? moment : `${moment}Z`) : Number.NaN;
  if (Number.isNaN(threshold)) throw Invalid(`Bad "${name}" query filter format. Use ISO 8601 DateTime notation.`);
  // Times are shown in seconds, so they are compared in seconds.
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return (one) => compare(seconds(Date.parse(valueOf(one, name) as string)), seconds(threshold));
};

const truth = (name: string, text: string): Test => {
  const wanted = text.toLowerCase();
  if (wanted !== 'true' && wanted !== 'false') {
    throw Invalid(`Invalid value '${text}' for '${name}' filter. Valid values are 'true' or 'false'.`);
  }
  return (one) => valueOf(one, name) === (wanted === 'true');
};

const numbers = ['size', 'virtual_size', 'min_ram', 'min_disk'];

/** `size_min`, `min_ram_max` ... */
const range = (name: string, text: string): Test | undefined => {
  const [, field, end] = /^(.*)_(min|max)$/.exec(name) ?? [];
  if (field === undefined || !numbers.includes(field)) return undefined;
  if (!/^-?\d{1,18}$/.test(text)) throw Invalid('Unable to filter on a range with a non-numeric value.');
  const bound = Number(text);
  return (one) => {
    const value = valueOf(one, field) as number | null;
    return value !== null && (end === 'min' ? value >= bound : value <= bound);
  };
};

const kinds: Readonly<Record<string, (name: string, text: string) => Test>> = {
  ...Object.fromEntries(['id', 'name', 'status', 'container_format', 'disk_format'].map((name) => [name, chosen])),
  created_at: time,
  updated_at: time,
  protected: truth,
  os_hidden: truth,
};

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** A field by its text, or what is no field by the property of that name. */
const plain = (name: string, text: string): Test => {
  if (Object.hasOwn(image, name)) return (one) => textOf(valueOf(one, name)) === text;
  return ({ properties }) => Object.hasOwn(properties, name) && properties[name] === text;
};

/** What is no filter. */
const others = ['limit', 'marker', 'sort', 'sort_key', 'sort_dir', 'member_status', 'visibility', 'tag'];

/** Whether an image is one of those that are asked for. Throws Invalid (400). */
export const readFilters = (query: Query): Test => {
  if (query['changes-since']) throw Invalid('The "changes-since" filter is no longer available on v2.');
  const tags = (query['tag'] ?? []).map((tag) => tag.trim());
  const given = Object.entries({ os_hidden: ['false'], ...query }).filter(([name]) => !others.includes(name));
  const tests = given.map(([name, values]) => {
    const text = values.at(-1)!;
    return range(name, text) ?? (Object.hasOwn(kinds, name) ? kinds[name]! : plain)(name, text);
  });
  return (one) => tags.every((tag) => one.tags.includes(tag)) && tests.every((test) => test(one));
};

/** Throws Invalid (400). */
export const readView = (query: Query): View => {
  const visibility = query['visibility']?.at(-1) || undefined;
  if (visibility !== undefined && ![...visibilities, 'all'].includes(visibility)) {
    throw Invalid(`Invalid visibility value: ${visibility}`);
  }
  const status = query['member_status']?.at(-1) ?? 'accepted';
  const known = [...memberStatuses, 'all'] as const;
  const member_status = known.find((one) => one === status);
  if (!member_status) throw Invalid(`Invalid status: ${status}`);
  return { visibility, member_status };
};

const sortKeys = ['name', 'status', 'container_format', 'disk_format', 'size', 'id', 'created_at', 'updated_at'];

/** Keys of an order, the first first. */
export type Order = readonly { readonly key: string; readonly descending: boolean }[];

const directionOf = (text: string): boolean => {
  if (text !== 'asc' && text !== 'desc') throw Invalid(`Invalid sort direction: ${text}`);
  return text === 'desc';
};

const keyOf = (text: string): string => {
  if (sortKeys.includes(text)) return text;
  throw Invalid(`Invalid sort key: ${text}. It must be one of the following: ${sortKeys.join(', ')}.`);
};

const fromSort = (text: string): Order =>
  text.split(',').map((part) => {
    const [key = '', direction = 'desc'] = part.split(':');
    return { key: keyOf(key.trim()), descending: directionOf(direction.trim() || 'desc') };
  });

/** The order that is asked for, in either of Glance's two ways; without one the newest come first. Throws Invalid (400). */
export const readOrder = (query: Query): Order => {
  const { sort, sort_key: keys = ['created_at'], sort_dir: directions = [] } = query;
  if (sort && (query['sort_key'] || query['sort_dir'])) throw Invalid('Old and new sorting syntax cannot be combined');
  if (sort) return fromSort(sort.at(-1)!);
  const named = keys.map((key) => keyOf(key.trim()));
  const asked = directions.map((one) => directionOf(one.trim()));
  if (asked.length > 1 && asked.length !== named.length) {
    throw Invalid('Number of sort dirs does not match the number of sort keys');
  }
  return named.map((key, at) => ({ key, descending: asked[at] ?? asked[0] ?? true }));
};

/** null comes before every value. */
const compare = (a: unknown, b: unknown): number => {
  if (a === b) return 0;
  if (a === null || a === undefined) return -1;
  if (b === null || b === undefined) return 1;
  return (a as string) < (b as string) ? -1 : 1;
};

/** Compares two images by an order; `position` is that of creation, by which equal ones go, the newest first. */
export const comparing =
  (order: Order) =>
  (a: Compared & { readonly position: string }, b: Compared & { readonly position: string }): number => {
    for (const { key, descending } of order) {
      // Within one second the position still knows which came first.
      const name = key === 'created_at' ? 'position' : key;
      const found = compare(valueOf(a, name), valueOf(b, name)) * (descending ? -1 : 1);
      if (found !== 0) return found;
    }
    return -compare(a.position, b.position);
  };

const standardLimit = 25;
/** A larger limit is silently this one. */
const mostLimit = 1000;

/** How many images a page has. Throws Invalid (400). */
export const readLimit = (query: Query): number => {
  const text = query['limit']?.at(-1);
  if (text === undefined) return standardLimit;
  if (!/^-?\d{1,9}$/.test(text)) throw Invalid('limit param must be an integer');
  if (text.startsWith('-')) throw Invalid('limit param must be positive');
  return Math.min(Number(text), mostLimit);
};
