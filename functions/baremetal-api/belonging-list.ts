/** What lists of ports, port groups and volumes have in common: they are asked for by address, or by what their node is. */
import { type Filter, type Filters, selectBy, readsOf } from '../../layers/domain/filters.ts';
import { type Page, readList } from '../../layers/domain/page.ts';
import { allows } from '../../layers/domain/policy.ts';
import { hiding, readToShow, type Want } from '../../layers/domain/projection.ts';
import { cutPage } from '../../layers/store/lists.ts';
import { ownedBy } from './belonging.ts';
import { findVisible } from './node/find.ts';
import type { Call, Deps } from './route.ts';
import type { Kept, KindOf } from '../../layers/store/kinds/kind.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { nodesOfProject, nodesWith } from '../../layers/store/node-lists.ts';
import type { ListedNode, StoredNode } from '../../layers/store/nodes.ts';
import { readRecord, readRecordBy, recordsOf, recordsOfMany } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';

type Belonging = Kept & { readonly node_uuid: string };

/** The filters of the list, the node that its path stands for, the page, what is shown, and what else of the call matters. */
type Asked<R> = Pick<Call, 'query' | 'subject' | 'only' | 'target'> & {
  readonly filters: Filters<R>;
  readonly page: Page;
  readonly want: Want;
  readonly node: StoredNode | undefined;
};

/** The first filter that is asked for among those of which this is so. */
const given = <R>({ filters, query }: Asked<R>, is: (filter: Filter<R>, name: string) => boolean): string | undefined =>
  Object.entries(filters)
    .filter(([name, filter]) => query[name] && is(filter, name))
    .map(([name]) => name)[0];

/** What a filter by a field of the node asks for; undefined if there is none. */
const wantedOf = <R>(asked: Asked<R>) => {
  const name = given(asked, ({ ofHome }) => ofHome !== undefined);
  if (name === undefined) return undefined;
  const field = asked.filters[name]!.ofHome!;
  const values = readList(asked.query[name]!);
  return { field, values, fits: (node: ListedNode) => values.includes(node[field] ?? '') };
};

/** Of those that are asked for by what their node is, the nodes; undefined if by nothing of the kind. */
const nodesOf = async <R>({ table }: Deps, asked: Asked<R>): Promise<string[] | undefined> => {
  const { only } = asked;
  const wanted = wantedOf(asked);
  if (only === null) return wanted && [...(await nodesWith(table, wanted.field, wanted.values))];
  const mine = await nodesOfProject(table, only, wanted ? undefined : ['uuid']);
  return mine.filter((node) => wanted?.fits(node) ?? true).map(({ uuid }) => uuid);
};

/** The one with this unique value; none if it is not of this node, or of one that the caller may not see. */
const byUnique = async <R extends Belonging>(
  { table }: Deps,
  kind: KindOf<R>,
  asked: Asked<R>,
  name: string,
  home: StoredNode | undefined,
): Promise<R[]> => {
  const { schema, unique } = kind.fields[name]!;
  const found = await readRecordBy(table, kind, unique!, schema.parse(asked.query[name]![0]) as string);
  if (!found || (home && found.node_uuid !== home.uuid)) return [];
  const node = home ?? (await readRecord(table, kinds.node, found.node_uuid));
  const fits = node && allows('baremetal:node:get', asked.subject, node) && (wantedOf(asked)?.fits(node) ?? true);
  return fits ? [found] : [];
};

/**
 * A page by the filters of the list, of those that `also` keeps; with `node` only of this one. For all projects, without
 * a node or a unique value, it is a pass over all; for one project it reads what the project's nodes have. Throws
 * NotFound (404), Invalid (400).
 */
export const selectBelongings = async <R extends Belonging>(
  deps: Deps,
  kind: KindOf<R>,
  asked: Asked<R>,
  also?: { readonly reads: readonly string[]; keep(record: R): boolean },
): Promise<R[]> => {
  const { query, page, subject, only } = asked;
  const named = given(asked, ({ names }) => names === 'node');
  const home = asked.node ?? (named === undefined ? undefined : await findVisible(deps, subject, query[named]![0]!));
  const selection = selectBy(asked.filters, query);
  const keep = (record: R) => also?.keep(record) !== false && selection.keep(record);
  const hidden = hiding(kind.fields, subject, page.sort_key);
  const owned = ownedBy(asked);
  const hides = (record: R) => hidden(record, owned);
  const unique = given(asked, (_filter, name) => kind.fields[name]?.unique !== undefined);
  if (unique) return cutPage((await byUnique<R>(deps, kind, asked, unique, home)).filter(keep), page, hides);
  if (home) return cutPage((await recordsOf(deps.table, kind, home.uuid)).filter(keep), page, hides);
  const nodes = await nodesOf(deps, asked);
  if (only !== null) return cutPage((await recordsOfMany(deps.table, kind, nodes!)).filter(keep), page, hides);
  const known = nodes && new Set(nodes);
  const keepOf = (record: R) => keep(record) && (known?.has(record.node_uuid) ?? true);
  const toShow = readToShow(kind.fields, asked.want, [page.sort_key]);
  const reads = readsOf(selection.looksAt, toShow, ['node_uuid'], also?.reads ?? []);
  return listRecords(deps.table, kind, page, { ...selection, keep: keepOf, hides, reads });
};
