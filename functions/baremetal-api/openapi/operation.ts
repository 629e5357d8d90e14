/** One row of the routes as an operation of OpenAPI. */
import type { ZodType } from 'zod';

import type { Endpoint, QueryTable } from '../../../layers/http/route.ts';
import { partsOf } from '../../../layers/http/tree.ts';
import { schemaOf, type Schema } from './schemas.ts';

/** What is described: a row of this API, or one that another function serves. */
export type Row = Endpoint & { readonly policy: string; readonly find?: unknown };

export const pathOf = ({ at }: Row): string => partsOf(at).path;
export const methodOf = ({ at }: Row): string => partsOf(at).method;

/** `baremetal:node:vif:attach` is "node: vif attach"; lists of all and of one's own are one operation. */
const wordsOf = ({ policy }: Row): string => {
  const [, kind = '', ...rest] = policy.split(':');
  return `${kind}: ${rest.join(' ').replace('list_all', 'list')}`.replaceAll('_', ' ').replace(/: $/, '');
};

/** What an operation is called in a reference. */
export const summaryOf = (route: Row): string =>
  route.doc ?? (route.policy === 'public' ? pathOf(route) : wordsOf(route));

/** What may refuse a caller: a rule, for those who prove who they are; `public` nothing; else an address. */
const guardOf = ({ policy }: Row): 'rule' | 'nothing' | 'address' => {
  if (policy === 'public') return 'nothing';
  return policy.includes(':') ? 'rule' : 'address';
};
const refusedByGuard = { rule: [401, 403], nothing: [], address: [403, 404] } as const;

const operationId = (route: Row): string =>
  `${methodOf(route).toLowerCase()}${pathOf(route)}`.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '');

const parametersOf = (route: Row, version: number): object[] => [
  ...[...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...Object.entries(route.query ?? {})
    .filter(([, { since = 1 }]) => since <= version)
    .map(([name, { since, doc }]) => ({
      name,
      in: 'query',
      schema: { type: 'string' },
      ...((doc ?? since) && { description: doc ?? `Since 1.${since}.` }),
    })),
  { $ref: '#/components/parameters/version' },
];

const ref = (kind: 'schemas' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });

const content = (schema: Schema, media = 'application/json'): object => ({ [media]: { schema } });

/** What an answer shows: records of a table, a list of them, or JSON of its own. */
const answerSchema = ({ answers, shows, media }: Row): Schema => {
  if (media !== undefined) return { type: 'string' };
  if (!answers) return shows ? schemaOf(shows) : {};
  const record = ref('schemas', answers.name);
  if (!answers.list) return record;
  const next = { type: 'string', format: 'uri', description: 'The next page; absent on the last one.' };
  return {
    type: 'object',
    required: [answers.list],
    properties: { [answers.list]: { type: 'array', items: record }, next },
  };
};

const hasBody = new Set(['GET', 'PATCH']);

/** The status of success; a row that names none answers 200 with a body and 204 without (`route.ts`). */
export const statusOf = (route: Row): number => {
  if (route.status) return route.status;
  return hasBody.has(methodOf(route)) || methodOf(route) === 'HEAD' ? 200 : 204;
};

const successOf = (route: Row): object => {
  const status = statusOf(route);
  const isEmpty = ((status === 204 || status === 202) && !route.shows) || methodOf(route) === 'HEAD';
  const description = status === 202 ? 'Accepted; the node tells how it goes on.' : 'Done.';
  const headers = status === 201 ? { Location: { schema: { type: 'string', format: 'uri' } } } : undefined;
  return {
    [status]: {
      description,
      ...(headers && { headers }),
      ...(!isEmpty && { content: content(answerSchema(route), route.media) }),
    },
  };
};

const isCreate = (route: Row): boolean => methodOf(route) === 'POST' && route.answers !== undefined;

/** Without the keys that are newer than the version. */
const bodySchema = (body: ZodType, keys: QueryTable, version: number): Schema => {
  const { properties = {}, ...schema } = schemaOf(body) as Schema & { properties?: Record<string, Schema> };
  const there = Object.entries(properties).filter(([name]) => (keys[name]?.since ?? 1) <= version);
  return { ...schema, properties: Object.fromEntries(there) };
};

const bodyOf = (route: Row, version: number): object | undefined => {
  const { body, raw, keys } = route;
  const schemaAt = typeof body === 'function' ? body(version) : body;
  const described = typeof raw === 'object' ? raw : schemaAt;
  if (!described) return undefined;
  if (isCreate(route)) return { required: true, content: content(ref('schemas', `${route.answers!.name}Create`)) };
  const schema = keys ? bodySchema(described, keys, version) : schemaOf(described);
  return { required: !route.arguments, content: content(schema) };
};

/** Every status that a client has to count with; what each means is the error's text. */
const refusals = (route: Row): object => {
  const codes = [400, 406, ...refusedByGuard[guardOf(route)], ...(route.find ? [404] : [])];
  const conflicts = methodOf(route) === 'GET' ? [] : [409];
  return Object.fromEntries([...codes, ...conflicts, 503].map((code) => [code, ref('responses', 'Error')]));
};

/** The operation at 1.`version`. */
export const operationOf = (route: Row, version: number): object => {
  const body = bodyOf(route, version);
  return {
    operationId: operationId(route),
    summary: summaryOf(route),
    tags: [pathOf(route).split('/')[2] ?? 'versions'],
    ...(guardOf(route) !== 'rule' && { security: [] }),
    ...(route.policy !== 'public' && { 'x-policy': route.policy }),
    ...(route.since && { 'x-since': `1.${route.since}` }),
    parameters: parametersOf(route, version),
    ...(body && { requestBody: body }),
    responses: { ...successOf(route), ...refusals(route) },
  };
};
