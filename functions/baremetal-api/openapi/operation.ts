/** One row of the routes as an operation of OpenAPI. */
import type { Route } from '../route.ts';
import { schemaOf, type Schema } from './schemas.ts';

export const pathOf = ({ at }: Route): string => at.slice(at.indexOf(' ') + 1);
export const methodOf = ({ at }: Route): string => at.slice(0, at.indexOf(' '));

/** `baremetal:node:vif:attach` is "node: vif attach"; lists of all and of one's own are one operation. */
const wordsOf = ({ policy }: Route): string => {
  const [, kind = '', ...rest] = policy.split(':');
  return `${kind}: ${rest.join(' ').replace('list_all', 'list')}`.replaceAll('_', ' ').replace(/: $/, '');
};

/** What an operation is called in a reference. */
export const summaryOf = (route: Route): string => (route.policy === 'public' ? pathOf(route) : wordsOf(route));

const operationId = (route: Route): string =>
  `${methodOf(route).toLowerCase()}${pathOf(route)}`.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/_$/, '');

const parametersOf = (route: Route, version: number): object[] => [
  ...[...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...Object.entries(route.query ?? {})
    .filter(([, { since = 1 }]) => since <= version)
    .map(([name, { since }]) => ({
      name,
      in: 'query',
      schema: { type: 'string' },
      ...(since && { description: `Since 1.${since}.` }),
    })),
  { $ref: '#/components/parameters/version' },
];

const ref = (kind: 'schemas' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });

const content = (schema: Schema): object => ({ 'application/json': { schema } });

/** What an answer shows: records of a table, a list of them, or JSON of its own. */
const answerSchema = ({ answers }: Route): Schema => {
  if (!answers) return {};
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
export const statusOf = (route: Route): number => {
  if (route.status) return route.status;
  return hasBody.has(methodOf(route)) || methodOf(route) === 'HEAD' ? 200 : 204;
};

const successOf = (route: Route): object => {
  const status = statusOf(route);
  const isEmpty = status === 204 || status === 202 || methodOf(route) === 'HEAD';
  const description = status === 202 ? 'Accepted; the node tells how it goes on.' : 'Done.';
  const headers = status === 201 ? { Location: { schema: { type: 'string', format: 'uri' } } } : undefined;
  return {
    [status]: { description, ...(headers && { headers }), ...(!isEmpty && { content: content(answerSchema(route)) }) },
  };
};

const isCreate = (route: Route): boolean => methodOf(route) === 'POST' && route.answers !== undefined;

const bodyOf = (route: Route): object | undefined => {
  if (!route.body) return undefined;
  const schema = isCreate(route) ? ref('schemas', `${route.answers!.name}Create`) : schemaOf(route.body);
  return { required: !route.arguments, content: content(schema) };
};

/** Every status that a client has to count with; what each means is the error's text. */
const refusals = (route: Route): object => {
  const codes = [400, 406, ...(route.policy === 'public' ? [] : [401, 403]), ...(route.find ? [404] : [])];
  const conflicts = methodOf(route) === 'GET' ? [] : [409];
  return Object.fromEntries([...codes, ...conflicts, 503].map((code) => [code, ref('responses', 'Error')]));
};

/** The operation at 1.`version`. */
export const operationOf = (route: Route, version: number): object => {
  const body = bodyOf(route);
  return {
    operationId: operationId(route),
    summary: summaryOf(route),
    tags: [pathOf(route).split('/')[2] ?? 'versions'],
    ...(route.policy === 'public' ? { security: [] } : { 'x-policy': route.policy }),
    ...(route.since && { 'x-since': `1.${route.since}` }),
    parameters: parametersOf(route, version),
    ...(body && { requestBody: body }),
    responses: { ...successOf(route), ...refusals(route) },
  };
};
