/** What a request asks a row with: its query and its body, as the row's columns say. */
import { Invalid } from '../domain/fault.ts';
import { isKnown } from '../domain/fields.ts';
import { check } from '../domain/schema.ts';
import { noVersions, type Protocol, type Versions } from './protocol.ts';
import { type HttpRequest, jsonBody } from './request.ts';
import type { Endpoint, QueryTable } from './route.ts';
import { isObject } from '../domain/values.ts';

type Query = HttpRequest['query'];

const MiB = 1024 * 1024;

/** The first of the names that its table refuses with 400 below its version. */
const earlyOf = (table: QueryTable, version: number, names: readonly string[]): string | undefined =>
  names.find((name) => Object.hasOwn(table, name) && table[name]!.tooOld === 400 && table[name]!.since! > version);

/** Splits the query into what the row lists and what stands for keys of the body. Throws Invalid (400), or as `versions`. */
const readQuery = (
  { query: listed = {}, openQuery, arguments: loose }: Endpoint,
  version: number,
  versions: Versions,
  query: Query,
) => {
  if (openQuery) return { query, loose: {} };
  const all = Object.keys(query);
  const names = versions.ignoresStrangers?.(version)
    ? all.filter((name) => Object.hasOwn(listed, name) && isKnown(listed[name]!, version))
    : all;
  const strange = names.filter((name) => !Object.hasOwn(listed, name));
  if (strange.length > 0 && !loose) throw Invalid(`Unexpected arguments: ${strange.join(', ')}.`);
  const early = earlyOf(listed, version, names);
  if (early) {
    throw Invalid(`Unexpected arguments: ${early}; it needs API version ${versions.spell(listed[early]!.since!)}.`);
  }
  versions.refuseNewer(listed, version, names);
  const pick = (wanted: boolean) =>
    Object.fromEntries(
      names.filter((name) => Object.hasOwn(listed, name) === wanted).map((name) => [name, query[name]!]),
    );
  return { query: pick(true), loose: pick(false) };
};

/** Refuses keys that the row has for newer versions only. Throws Invalid (400), or as `versions`. */
const refuseEarly = (keys: QueryTable, version: number, versions: Versions, body: unknown): void => {
  if (!isObject(body)) return;
  const names = Object.keys(body);
  const early = earlyOf(keys, version, names);
  if (early) {
    const { spell } = versions;
    throw Invalid(
      `${early} needs API version ${spell(keys[early]!.since!)}, this request asked for ${spell(version)}.`,
    );
  }
  versions.refuseNewer(keys, version, names);
};

/** The body, with the arguments that came as query parameters; undefined for none. Throws Invalid (400), TooLarge (413). */
const readJson = (
  { limit = MiB, arguments: takesLoose, body }: Endpoint,
  request: HttpRequest,
  loose: Query,
): unknown => {
  const json = jsonBody(request, limit);
  if (!body) return undefined;
  if (!takesLoose) {
    if (json === undefined) throw Invalid('The request needs a JSON body.');
    return json;
  }
  if (json !== undefined && !isObject(json)) throw Invalid('The request body must be a JSON object.');
  return { ...Object.fromEntries(Object.entries(loose).map(([name, [value]]) => [name, value])), ...json };
};

/**
 * The query that the row lists, and the body by its schema; of a `raw` row the body is left to the handler. Throws
 * Invalid (400), TooLarge (413), TooDeep (400), and what the protocol says of names that are too new.
 */
export const readArguments = (row: Endpoint, request: HttpRequest, version: number, protocol: Protocol) => {
  const versions = protocol.versions ?? noVersions;
  const { query, loose } = readQuery(row, version, versions, request.query);
  if (row.raw) return { query, body: undefined };
  const json = readJson(row, request, loose);
  if (row.keys) refuseEarly(row.keys, version, versions, json);
  const schema = typeof row.body === 'function' ? row.body(version) : row.body;
  return { query, body: schema && check(schema, json) };
};
