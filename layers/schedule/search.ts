/**
 * Finds the nodes that a server may get, page by page of what is free, and counts why others were refused. With 100,000
 * nodes it reads no more than with 1,000: a page holds only what is free and of the class, and it ends when enough fit.
 */
import { cutText } from '../domain/foreign-text.ts';
import type { Chance } from '../platform/platform.ts';
import type { Candidate } from './candidate.ts';
import { filters, judge, type FilterName } from './filters.ts';
import { strategies, type StrategyName } from './strategies.ts';
import type { Wish } from './wish.ts';

/** What the Bare Metal API is asked for. */
export type CandidateQuery = {
  /** Only nodes that are available, have no instance and are not in maintenance. */
  readonly free: boolean;
  /** As Placement writes it. */
  readonly placement_class: string | undefined;
  readonly conductor_group: string | undefined;
  readonly limit: number;
  /** UUID of the last node of the page before. */
  readonly marker: string | undefined;
  /** The youngest first. */
  readonly descending: boolean;
};

/** A page of nodes; fewer than `limit` are the last. */
export type ListCandidates = (query: CandidateQuery) => Promise<readonly Candidate[]>;

/** What a filter refused: how many, and the first of them. */
type Rejection = {
  readonly filter: FilterName;
  readonly count: number;
  readonly nodes: readonly { readonly node: string; readonly detail: string }[];
};

/** What a search has found. The same for an operator who wants to know why. */
export type Findings = {
  /** UUIDs, in the order in which they are to be tried. */
  readonly candidates: readonly string[];
  readonly looked_at: number;
  /** Whether all were looked at that are free and of the class. */
  readonly complete: boolean;
  /** In the order of the filters. */
  readonly rejected: readonly Rejection[];
};

/** Nodes that are named for each filter, and the characters of what is said of one. */
const named = 10;
const maxDetail = 200;

/** Nodes of the first page, and of the largest: each is twice the one before. */
const firstPage = 100;
const lastPage = 1000;

const filterNames = Object.keys(filters) as FilterName[];

const createTally = (wish: Wish) => {
  const fitting: Candidate[] = [];
  const rejected = new Map<FilterName, { count: number; nodes: { node: string; detail: string }[] }>();
  let lookedAt = 0;
  return {
    fitting,
    see: (node: Candidate): void => {
      lookedAt += 1;
      const refused = judge(node, wish);
      if (!refused) {
        fitting.push(node);
        return;
      }
      const row = rejected.get(refused.filter) ?? { count: 0, nodes: [] };
      row.count += 1;
      if (row.nodes.length < named) row.nodes.push({ node: node.uuid, detail: cutText(refused.detail, maxDetail) });
      rejected.set(refused.filter, row);
    },
    lookedAt: () => lookedAt,
    rejected: (): Rejection[] =>
      filterNames.flatMap((filter) => {
        const row = rejected.get(filter);
        return row ? [{ filter, ...row }] : [];
      }),
  };
};

/** The class whose nodes are to be listed; of several none has all, which the filters will say. */
const classOf = ({ resources }: Wish): string | undefined =>
  [...resources.keys()].find((name) => name.startsWith('CUSTOM_'));

/** A node that is locked for a moment is tried last: the lock of a power request may be gone by then. */
const lockedLast = (nodes: readonly Candidate[]): Candidate[] => [
  ...nodes.filter(({ reservation }) => reservation === null),
  ...nodes.filter(({ reservation }) => reservation !== null),
];

/**
 * The nodes that fit, in the order of a strategy. Without any that are free, it looks at a page of those that are not, so
 * that it can tell what they are. Throws what `list` throws.
 */
export const findCandidates = async (
  { list, chance }: { readonly list: ListCandidates; readonly chance: Chance },
  wish: Wish,
  strategy: StrategyName,
): Promise<Findings> => {
  const { enough, order } = strategies[strategy];
  const tally = createTally(wish);
  // Requests of one moment begin at either end, so that fewer of them want the same node.
  const query = {
    free: true,
    placement_class: classOf(wish),
    conductor_group: wish.conductor_group,
    descending: chance.number() < 0.5,
  };
  let marker: string | undefined;
  let limit = firstPage;
  do {
    const page = await list({ ...query, limit, marker });
    page.forEach(tally.see);
    marker = page.length < limit ? undefined : page.at(-1)!.uuid;
    limit = Math.min(2 * limit, lastPage);
  } while (marker !== undefined && tally.fitting.length < enough);
  if (tally.lookedAt() === 0) {
    const others = await list({ ...query, free: false, limit: firstPage, marker: undefined });
    others.forEach(tally.see);
  }
  return {
    candidates: lockedLast(order(tally.fitting, chance)).map(({ uuid }) => uuid),
    looked_at: tally.lookedAt(),
    complete: marker === undefined,
    rejected: tally.rejected(),
  };
};

/** The findings in a sentence, for an operator; tenants are told that there is no valid host, and no more. */
export const tellFindings = ({ looked_at: count, candidates, rejected }: Findings): string => {
  if (count === 0) return 'No node has the resource class that the flavor asks for, in the zone that was asked for.';
  const refused = rejected.map((row) => `${row.filter} refused ${row.count}`);
  const all = [`${candidates.length} fit`, ...refused].join(', ');
  return `${count} ${count === 1 ? 'node was' : 'nodes were'} looked at: ${all}.`;
};
