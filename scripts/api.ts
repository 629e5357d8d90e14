/** The reference of the API: its routes by resource, read from their rows. */
import { describe } from '../functions/baremetal-api/openapi/document.ts';
import { methodOf, pathOf, type Row, statusOf, summaryOf } from '../functions/baremetal-api/openapi/operation.ts';
import { routes } from '../functions/baremetal-api/routes.ts';
import { ramdisk } from '../layers/domain/baremetal/ramdisk.ts';
import { MAX } from '../layers/domain/versions.ts';
import { table } from './markdown.ts';

const code = (text: string): string => `\`${text}\``;

/** All that clients see, whichever function serves it. */
const all: readonly (Row & { readonly own?: string })[] = [...routes, ...Object.values(ramdisk)];

/** Rows by the collection they begin with; a node's sub-resources stand with the nodes. */
const groups = (): [string, Row[]][] => {
  const found = new Map<string, Row[]>();
  for (const route of all) {
    const name = pathOf(route).split('/')[2] ?? 'versions';
    found.set(name, [...(found.get(name) ?? []), route]);
  }
  return [...found];
};

const gate = ({ since, tooOld = 404 }: Row): string =>
  since ? `1.${since} (${tooOld === 'nothing' ? 404 : tooOld} below)` : '1.1';

const queryOf = ({ query = {} }: Row): string =>
  Object.entries(query)
    .map(([name, { since }]) => (since ? `${name} (1.${since})` : name))
    .join(', ');

const ruleOf = ({ policy, own }: Row & { readonly own?: string }): string =>
  [policy, ...(own ? [own] : [])].map(code).join(' or ');

const rowOf = (route: Row): string[] => [
  methodOf(route),
  code(pathOf(route)),
  summaryOf(route),
  gate(route),
  String(statusOf(route)),
  ruleOf(route),
  queryOf(route),
];

const head = ['method', 'path', 'what', 'since', 'success', 'rule', 'query'];

const introduction = `# The API

Every route, made from the code by \`npm run reference\`. The same as OpenAPI 3.1: [openapi.json](openapi.json) at 1.${MAX},
and at any microversion from a running Ingot at \`/v1/openapi.json\`. Fields of the resources: [fields.md](fields.md). What
differs from Ironic: [compatibility.md](compatibility.md). A query parameter or route with a version needs at least that
one. \`rule\` names the row of \`layers/domain/baremetal/policy.ts\` that says who may.`;

/** docs/api.md. */
export const apiPage = (): string =>
  [introduction, ...groups().map(([name, rows]) => `## ${name}\n\n${table(head, rows.map(rowOf))}`)].join('\n\n');

/** docs/openapi.json. */
export const openapiFile = (): string => JSON.stringify(describe(all, MAX, 'http://127.0.0.1:6385'));
