/**
 * JSONata as Step Functions has it: a string from `{%` to `%}` is an expression, wherever it stands in a template.
 * Time, chance and UUIDs come from outside, so that a run under a virtual clock is the same every time.
 */
import { createHash } from 'node:crypto';

import jsonata, { type Expression } from 'jsonata';

import { Fault } from '../../layers/domain/fault.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Where randomness comes from: `number` is in [0, 1), `token` must not be guessable. */
export type Chance = { number(): number; uuid(): string; token(): string };

/** What an expression can see: `$states` and the variables of the enclosing scopes. */
export type Visible = {
  readonly states: { readonly [name: string]: Json };
  readonly variables: { readonly [name: string]: Json };
  readonly now: number;
  readonly chance: Chance;
};

/** Our own runaway limits; Step Functions has limits too but does not publish them. */
const limits = { timeout: 5_000, stack: 500 };

const cache = new Map<string, Expression>();

/** True for a whole `{% ... %}` string. */
export const isExpression = (value: unknown): boolean =>
  typeof value === 'string' && value.startsWith('{%') && value.endsWith('%}') && value.length >= 4;

/** RFC 3339 as the Amazon States Language narrows it: capital T, and Z or an offset. */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** True for a time that a Wait state understands. */
export const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && timestamp.test(value) && !Number.isNaN(Date.parse(value));

/** The parsed expression of a `{% ... %}` string. Throws jsonata's error for what does not parse. */
export const compile = (text: string): Expression => {
  const known = cache.get(text);
  if (known) return known;
  const compiled = jsonata(text.slice(2, -2), limits);
  cache.set(text, compiled);
  return compiled;
};

/** An expression, or a field whose value it gives, is not what it must be. ASL: may be retried and caught. */
export const QueryEvaluationError = (cause: string) => new Fault('States.QueryEvaluationError', 400, cause);

const algorithms: Record<string, string> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

const range = (from: number, to: number, by: number) => {
  const length = Math.floor((to - from) / by) + 1;
  if (!Number.isFinite(length) || length > 1000) throw new Error('$range gives at most 1000 elements');
  return Array.from({ length: Math.max(0, length) }, (_, index) => from + index * by);
};

const hash = (data: Json, algorithm: string) => {
  const name = algorithms[algorithm];
  if (!name) throw new Error(`$hash knows ${Object.keys(algorithms).join(', ')}, not ${algorithm}`);
  return createHash(name)
    .update(typeof data === 'string' ? data : JSON.stringify(data))
    .digest('hex');
};

const fromMillis = jsonata('$fromMillis($at, $picture, $zone)');

/**
 * The functions that Step Functions adds to JSONata, those that depend on time or chance, and `$eval`, which it
 * takes away.
 */
export const functions = ({ now, chance }: Pick<Visible, 'now' | 'chance'>) => ({
  now: async (picture?: string, zone?: string) => fromMillis.evaluate(undefined, { at: now, picture, zone }),
  millis: () => now,
  uuid: () => chance.uuid(),
  random: (seed?: number) => {
    if (seed !== undefined) throw new Error('$random with a seed is not supported here');
    return chance.number();
  },
  partition: (items: readonly Json[], size: number) =>
    range(0, items.length - 1, size).map((from) => items.slice(from, from + size)),
  range,
  hash,
  parse: (text: string): unknown => JSON.parse(text),
  eval: () => {
    throw new Error('$eval does not exist in Step Functions');
  },
});

const says = (error: unknown) => (error as { message?: string }).message ?? String(error);

/** jsonata answers with sequences and bare objects; what leaves here is plain JSON. */
const toPlain = (value: unknown, text: string): Json => {
  const marks = value as { _jsonata_lambda?: boolean; _jsonata_function?: boolean } | null | undefined;
  const callable = typeof value === 'function' || marks?._jsonata_lambda || marks?._jsonata_function;
  if (value === undefined || callable) {
    throw QueryEvaluationError(`The JSONata expression '${text}' returned ${callable ? 'a function' : 'nothing'}.`);
  }
  return JSON.parse(JSON.stringify(value)) as Json;
};

const evaluateExpression = async (text: string, { states, variables, now, chance }: Visible): Promise<Json> => {
  const bindings = { ...functions({ now, chance }), ...variables, states };
  const value: unknown = await compile(text)
    .evaluate(undefined, bindings)
    .catch((error: unknown) => {
      throw QueryEvaluationError(`The JSONata expression '${text}' failed: ${says(error)}.`);
    });
  return toPlain(value, text);
};

/**
 * The template with every expression in it replaced by its value. Throws the Fault States.QueryEvaluationError when
 * one fails, or gives nothing or a function.
 */
export const evaluate = async (template: Json, visible: Visible): Promise<Json> => {
  if (typeof template === 'string') return isExpression(template) ? evaluateExpression(template, visible) : template;
  if (Array.isArray(template)) return Promise.all(template.map(async (item: Json) => evaluate(item, visible)));
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template).map(async ([name, value]) => [name, await evaluate(value, visible)]);
  return Object.fromEntries(await Promise.all(entries)) as Json;
};
