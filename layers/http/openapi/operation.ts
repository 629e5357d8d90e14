/** One row of the routes as an operation of OpenAPI. */
import type { ZodType } from 'zod';

import { isKnown } from '../../domain/fields.ts';
import { type Endpoint, type QueryTable, type Shape, statusAt } from '../route.ts';
import { partsOf } from '../tree.ts';
import type { Book } from './book.ts';
import { schemaOf, type Schema } from './schemas.ts';

/** What is described: a row of an API, or one that another function serves for it. */
export type Row = Endpoint & { readonly policy: string; readonly find?: unknown };

export const pathOf = ({ at }: Row): string => partsOf(at).path;
export const methodOf = ({ at }: Row): string => partsOf(at).method;

/**
 * `baremetal:node:vif:attach` is "node: vif attach"; lists of all and of one's own are one operation. Of `get_image`,
 * which is also the rule of the list, the row says which.
 */
const wordsOf = ({ policy, answers }: Row): string => {
  const [api = '', kind, ...rest] = policy.split(':');
  if (kind === undefined) return answers?.list === undefined ? api.replaceAll('_', ' ') : `list ${answers.list}`;
  return `${kind}: ${rest.join(' ').replace('list_all', 'list')}`.replaceAll('_', ' ').replace(/: $/, '');
};

/** What an operation is called in a reference. */
export const summaryOf = (route: Row): string =>
  route.doc ?? (route.policy === 'public' ? pathOf(route) : wordsOf(route));

/** What may refuse a caller: a rule, for those who prove who they are; `public` nothing; else an address. */
const guardOf = ({ byAddress = [] }: Book, { policy }: Row): 'rule' | 'nothing' | 'address' => {
  if (policy === 'public') return 'nothing';
  return byAddress.includes(policy) ? 'address' : 'rule';
};
const refusedByGuard = { rule: [401, 403], nothing: [], address: [403, 404] } as const;

const operationId = (route: Row): string =>
  `${methodOf(route).toLowerCase()}${pathOf(route)}`.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '');

const parametersOf = ({ spell, header }: Book, route: Row, version: number): object[] => [
  ...[...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...Object.entries(route.query ?? {})
    .filter(([, row]) => isKnown(row, version))
    .map(([name, { since, doc }]) => ({
      name,
      in: 'query',
      schema: { type: 'string' },
      ...((doc ?? since) && { description: doc ?? `Since ${spell(since!)}.` }),
    })),
  ...(header ? [{ $ref: '#/components/parameters/version' }] : []),
];

const ref = (kind: 'schemas' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });

const content = (schema: Schema, media = 'application/json'): object => ({ [media]: { schema } });

/** A schema under the key that it stands at. */
const keyed = (key: string, schema: Schema): Schema => ({
  type: 'object',
  required: [key],
  properties: { [key]: schema },
});

const wrapped = (schema: Schema, { under, bulk }: Shape): Schema => {
  if (under === undefined) return schema;
  const one = keyed(under, schema);
  return bulk === undefined ? one : { anyOf: [one, keyed(bulk, { type: 'array', items: schema })] };
};

/** What an answer shows: records of a table, a list of them, or JSON of its own. */
const answerSchema = ({ pages }: Book, { answers, shows, media }: Row): Schema => {
  if (media !== undefined) return { type: 'string' };
  if (!answers) return shows ? schemaOf(shows) : {};
  const record = wrapped(ref('schemas', answers.name), answers);
  if (!answers.list) return record;
  return {
    type: 'object',
    required: [answers.list],
    properties: { [answers.list]: { type: 'array', items: record }, ...pages(answers.list) },
  };
};

const hasBody = new Set(['GET', 'HEAD', 'PATCH']);

/** The status of success; a row that names none answers 200 with a body and 204 without (`route.ts`). */
export const statusOf = (route: Row, version: number): number => {
  const shows = route.answers ?? route.shows;
  return statusAt(route, version) ?? (shows || hasBody.has(methodOf(route)) ? 200 : 204);
};

/** An answer of this status; what changes a record may answer nothing of it. */
const responseOf = (book: Book, route: Row, status: number): object => {
  const method = methodOf(route);
  const shows = (route.answers ?? route.shows ?? route.media) !== undefined;
  const isEmpty = status === 204 || method === 'HEAD' || (!shows && (status !== 200 || !hasBody.has(method)));
  const leads = status === 201 || status === 302;
  return {
    description: status === 202 ? book.accepted : 'Done.',
    ...(leads && { headers: { Location: { schema: { type: 'string', format: 'uri' } } } }),
    ...(!isEmpty && { content: content(answerSchema(book, route), route.media) }),
  };
};

const successOf = (book: Book, route: Row, version: number): object => {
  const statuses = [statusOf(route, version), ...(route.otherwise ? [route.otherwise] : [])];
  return Object.fromEntries(statuses.map((status) => [status, responseOf(book, route, status)]));
};

const isShape = (takes: Endpoint['takes']): takes is Shape => typeof takes === 'object' && 'rows' in takes;

/** What a row takes by a table, and what the schema of that is called: a POST a new record, others changes of one. */
export const takenBy = (route: Row): { readonly name: string; readonly shape: Shape } | undefined => {
  const { takes, answers, body } = route;
  const isPost = methodOf(route) === 'POST';
  const shape = isShape(takes) ? takes : isPost && body && !takes ? answers : undefined;
  return shape && { name: `${shape.name}${isPost ? 'Create' : 'Update'}`, shape };
};

/** Without the keys that are not there at the version. */
const bodySchema = (body: ZodType, keys: QueryTable, version: number): Schema => {
  const { properties = {}, ...schema } = schemaOf(body) as Schema & { properties?: Record<string, Schema> };
  const there = Object.entries(properties).filter(([name]) => isKnown(keys[name] ?? {}, version));
  return { ...schema, properties: Object.fromEntries(there) };
};

const bodyOf = (route: Row, version: number): object | undefined => {
  const { body, takes, keys } = route;
  const taken = takenBy(route);
  if (taken) return { required: true, content: content(wrapped(ref('schemas', taken.name), taken.shape)) };
  const told = isShape(takes) ? undefined : (takes ?? body);
  const described = typeof told === 'function' ? told(version) : told;
  if (!described) return undefined;
  const schema = keys ? bodySchema(described, keys, version) : schemaOf(described);
  return { required: !route.arguments, content: content(schema) };
};

/** Every status that a client has to count with; what each means is the error's text. */
const refusals = (book: Book, route: Row): object => {
  const codes = [...book.refusals, ...refusedByGuard[guardOf(book, route)], ...(route.find ? [404] : [])];
  const conflicts = methodOf(route) === 'GET' ? [] : [409];
  const own = route.refuses ? [route.refuses] : [];
  return Object.fromEntries([...codes, ...conflicts, ...own].map((code) => [code, ref('responses', 'Error')]));
};

/** The operation at `version`. */
export const operationOf = (book: Book, route: Row, version: number): object => {
  const body = bodyOf(route, version);
  const guard = guardOf(book, route);
  return {
    operationId: operationId(route),
    summary: summaryOf(route),
    tags: [pathOf(route).split('/')[2] ?? 'versions'],
    ...(guard !== 'rule' && { security: [] }),
    ...(route.policy !== 'public' && { 'x-policy': route.policy }),
    ...(route.since && { 'x-since': book.spell(route.since) }),
    parameters: parametersOf(book, route, version),
    ...(body && { requestBody: body }),
    responses: { ...(!route.refuses && successOf(book, route, version)), ...refusals(book, route) },
  };
};
