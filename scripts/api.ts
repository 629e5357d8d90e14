/** The references of the APIs: their routes by resource, read from their rows, as pages and as OpenAPI. */
import { book as baremetalBook } from '../functions/baremetal-api/openapi.ts';
import { routes as baremetalRoutes } from '../functions/baremetal-api/routes.ts';
import { book as computeBook } from '../functions/compute-api/openapi.ts';
import { routes as computeRoutes } from '../functions/compute-api/routes.ts';
import { book as imageBook } from '../functions/image-api/openapi.ts';
import { routes as imageRoutes } from '../functions/image-api/routes.ts';
import { book as networkBook } from '../functions/network-api/openapi.ts';
import { routes as networkRoutes } from '../functions/network-api/routes.ts';
import { type ApiName, apis, type ApiRow } from '../infra/manifest.ts';
import { ramdisk } from '../layers/domain/baremetal/ramdisk.ts';
import { type Access, type Field, type Fields, wireName } from '../layers/domain/fields.ts';
import { MAX as computeMax } from '../layers/domain/compute/versions.ts';
import { MAX } from '../layers/domain/versions.ts';
import type { Book } from '../layers/http/openapi/book.ts';
import { describe } from '../layers/http/openapi/document.ts';
import { methodOf, pathOf, type Row, statusOf, summaryOf, takenBy } from '../layers/http/openapi/operation.ts';
import { typeOf } from './fields.ts';
import { table } from './markdown.ts';

type Described = Row & { readonly own?: string };

/** What is told of an API, and where: `page` and `file` in docs/, the file also below the API itself. */
type ApiPage = {
  readonly book: Book;
  /** All that clients see, whichever function serves it. */
  readonly rows: readonly Described[];
  /** The newest version, which the file describes. */
  readonly newest: number;
  readonly page: string;
  readonly file: string;
  /** Where more is said. */
  readonly more: string;
  /** The fields have a page of their own. */
  readonly fields?: true;
};

const pages: { readonly [A in ApiName]: ApiPage } = {
  baremetal: {
    book: baremetalBook,
    rows: [...baremetalRoutes, ...Object.values(ramdisk)],
    newest: MAX,
    page: 'api.md',
    file: 'openapi.json',
    fields: true,
    more: `Fields of the resources: [fields.md](fields.md). What differs from Ironic: [compatibility.md](compatibility.md).
\`rule\` names the row of \`layers/domain/baremetal/policy.ts\` that says who may.`,
  },
  compute: {
    book: computeBook,
    rows: computeRoutes,
    newest: computeMax,
    page: 'api-compute.md',
    file: 'openapi-compute.json',
    more: `What is done with servers, and when: [servers.md](servers.md). What differs from Nova:
[compatibility.md](compatibility.md#the-apis-for-tenants). \`rule\` names the row of \`layers/domain/compute/policy.ts\` that says who may;
each action of a server has one of its own.`,
  },
  image: {
    book: imageBook,
    rows: imageRoutes,
    newest: 1,
    page: 'api-image.md',
    file: 'openapi-image.json',
    more: `How images are used: [guides/images.md](guides/images.md). What differs from Glance:
[compatibility.md](compatibility.md#the-apis-for-tenants). \`rule\` names the row of \`layers/domain/image/policy.ts\` that says who may.`,
  },
  network: {
    book: networkBook,
    rows: networkRoutes,
    newest: 1,
    page: 'api-network.md',
    file: 'openapi-network.json',
    more: `Fields, limits and rules: [guides/networks.md](guides/networks.md). What differs from Neutron:
[compatibility.md](compatibility.md#the-apis-for-tenants). \`rule\` names the row of \`layers/domain/network/policy.ts\` that says who may.`,
  },
};

const code = (text: string): string => `\`${text}\``;

/** Rows by the collection they begin with; a node's sub-resources stand with the nodes. */
const groupsOf = (rows: readonly Described[]): [string, Described[]][] => {
  const found = new Map<string, Described[]>();
  for (const route of rows) {
    const name = pathOf(route).split('/')[2] ?? 'versions';
    found.set(name, [...(found.get(name) ?? []), route]);
  }
  return [...found];
};

const gateOf = ({ spell }: Book, { since = 1, until, tooOld = 404 }: Row): string =>
  [
    since > 1 ? `${spell(since)} (${tooOld === 'nothing' ? 404 : tooOld} below)` : spell(1),
    ...(until === undefined ? [] : [`until ${spell(until)}`]),
  ].join(' ');

const queryOf = ({ spell }: Book, { query = {} }: Row): string =>
  Object.entries(query)
    .map(([name, { since }]) => (since ? `${name} (${spell(since)})` : name))
    .join(', ');

const ruleOf = ({ policy, own }: Described): string => [policy, ...(own ? [own] : [])].map(code).join(' or ');

type Column = { readonly head: string; of(route: Described): string };

const columnsOf = ({ book, newest }: ApiPage): readonly Column[] => [
  { head: 'method', of: methodOf },
  { head: 'path', of: (route) => code(pathOf(route)) },
  { head: 'what', of: summaryOf },
  ...(book.header ? [{ head: 'since', of: (route: Described) => gateOf(book, route) }] : []),
  { head: 'success', of: (route) => (route.refuses ? `none: ${route.refuses}` : String(statusOf(route, newest))) },
  { head: 'rule', of: ruleOf },
  { head: 'query', of: (route) => queryOf(book, route) },
];

/** A row of a record: `some` if not everybody is shown it. */
type FieldRow = { readonly name: string; readonly row: Field; readonly some: boolean };

const rowsOf = (rows: Fields, some: boolean): FieldRow[] =>
  Object.entries(rows).map(([name, row]) => ({ name, row, some }));

/** What an API shows, and what it takes to make one where that is another table, by the names of their schemas. */
const recordsOf = (routes: readonly Described[]): Map<string, readonly FieldRow[]> => {
  const shown = routes.flatMap(({ answers }) => (answers ? [answers] : []));
  const records = new Map(
    shown.map(({ name, rows, also = {} }) => [name, [...rowsOf(rows, false), ...rowsOf(also, true)]]),
  );
  for (const route of routes) {
    const taken = methodOf(route) === 'POST' ? takenBy(route) : undefined;
    if (!taken || shown.some(({ rows }) => rows === taken.shape.rows)) continue;
    records.set(taken.name, rowsOf(taken.shape.rows, false));
  }
  return records;
};

const settable: { readonly [A in Access]: string } = {
  create: 'create',
  update: 'create, change',
  patch: 'change',
  read: '',
};

type FieldColumn = { readonly head: string; of(field: FieldRow): string };

const fieldColumns = ({ book: { spell, header }, newest }: ApiPage): readonly FieldColumn[] => {
  const range = ({ since = 1, until }: Field) => spell(since) + (until === undefined ? '' : ` until ${spell(until)}`);
  const type = ({ schema, shownAs = schema }: Field) =>
    typeOf(typeof shownAs === 'function' ? shownAs(newest) : shownAs);
  return [
    { head: 'field', of: ({ name, row }) => code(wireName(name, row)) },
    ...(header ? [{ head: 'since', of: ({ row }: FieldRow) => range(row) }] : []),
    { head: 'type', of: ({ row }) => type(row) },
    { head: 'settable', of: ({ row }) => settable[row.access] },
    { head: 'meaning', of: ({ row, some }) => (some ? `${row.doc} Not shown to everybody.` : row.doc) },
  ];
};

const fieldSections = (api: ApiPage): string[] => {
  const columns = fieldColumns(api);
  const heads = columns.map(({ head }) => head);
  return [...recordsOf(api.rows)].map(([name, fields]) => {
    const lines = fields.map((field) => columns.map(({ of }) => of(field)));
    return `### ${name}\n\n${table(heads, lines)}`;
  });
};

/** Where the API itself serves its document. */
const servedAt = (name: ApiName, rows: readonly Row[]): string => {
  const { prefix = '' }: ApiRow = apis[name];
  return prefix + pathOf(rows.find((row) => pathOf(row).endsWith('/openapi.json'))!);
};

const introduction = (name: ApiName, { book, rows, newest, file, more }: ApiPage): string => {
  const { title, header, spell } = book;
  const versions = header
    ? `[${file}](${file}) at ${spell(newest)}, and at any microversion from a running Ingot at ${code(servedAt(name, rows))}. A
query parameter or route with a version needs at least that one.`
    : `[${file}](${file}), and from a running Ingot at ${code(servedAt(name, rows))}.`;
  return `# The ${title}

Every route, made from the code by \`npm run reference\`. The same as OpenAPI 3.1: ${versions}

${more}`;
};

const pageOf = (name: ApiName): string => {
  const api = pages[name];
  const columns = columnsOf(api);
  const sections = groupsOf(api.rows).map(([group, rows]) => {
    const lines = rows.map((route) => columns.map(({ of }) => of(route)));
    const heads = columns.map(({ head }) => head);
    return `## ${group}\n\n${table(heads, lines)}`;
  });
  const fields = api.fields ? [] : ['## Fields', ...fieldSections(api)];
  return [introduction(name, api), ...sections, ...fields].join('\n\n');
};

const fileOf = (name: ApiName): string => {
  const { book, rows, newest } = pages[name];
  const { prefix = '' }: ApiRow = apis[name];
  return JSON.stringify(describe(book, rows, newest, `http://127.0.0.1:6385${prefix}`));
};

/** A page and a document of each API, by their paths. */
export const apiPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  (Object.keys(pages) as ApiName[]).flatMap((name) => [
    [`docs/${pages[name].page}`, () => pageOf(name)],
    [`docs/${pages[name].file}`, () => fileOf(name)],
  ]),
);
