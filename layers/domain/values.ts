/** The kinds of values that several resources have. */
import * as z from 'zod';

import { quoted } from './foreign-text.ts';

/** In lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/, 'must be a UUID')
  .transform((value) => value.toLowerCase());

/** Whether a text is a UUID, in any case. */
export const isUuid = (value: string): boolean => uuid.safeParse(value).success;

/** 1-255 characters that need no escaping in a URL (ironic-api.md 1.6, since 1.10). */
export const logicalName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[A-Za-z0-9\-._~]+$/, 'may have letters, digits, - . _ and ~ only');

/** 1 to `max` characters. */
export const text = (max: number) => z.string().min(1).max(max);

/** One of these words. */
export const word = <const W extends readonly [string, ...string[]]>(words: W) =>
  z.enum(words, { error: ({ input }) => `${quoted(input)} is none of ${words.join(', ')}` });

/** A whole number that is not negative. Clients send such numbers also as text, the command line client always does. */
export const count = z.union(
  [
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ],
  {
    error: 'must be a whole number that is not negative',
  },
);

/** Whether it is an object as JSON has them: no list, and not null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object of any content. */
export const json = z.record(z.string(), z.unknown());

const sorted = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Whether two JSON values are the same, whatever the order of their keys. */
export const isSame = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a, sorted) === JSON.stringify(b, sorted);

/** ISO 8601 with offset, as Ironic writes it. */
export const timestamp = z.iso.datetime({ offset: true });

// A map, because an object has words of its own, such as `constructor`.
const words: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true', 'on', 'y', 'yes'].map((word) => [word, true] as const),
  ...['0', 'f', 'false', 'off', 'n', 'no'].map((word) => [word, false] as const),
]);

/** true, false, or one of the words Ironic takes for them. */
export const bool = z.union([z.boolean(), z.string()]).transform((value, ctx) => {
  const known = typeof value === 'boolean' ? value : words.get(value.toLowerCase());
  if (known === undefined) ctx.addIssue({ code: 'custom', message: `must be true or false, not "${value}"` });
  return known as boolean;
});

/** A MAC address, normalised to lower case with colons. */
export const mac = z
  .string()
  .regex(/^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/, 'must be a MAC address')
  .transform((value) => value.toLowerCase().replaceAll('-', ':'));

/** ISO 8601 with offset, as Ironic writes times; `ms` since the epoch. */
export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '+00:00');
