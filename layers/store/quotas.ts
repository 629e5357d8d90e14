/**
 * What a project may still make: each record has a numbered place below the limit, taken in the transaction that makes it,
 * so that hundreds who ask at once get exactly as many as there may be.
 */
import { OverQuota } from '../domain/network/faults.ts';
import { counted, type Counted, quota } from '../domain/network/quota.ts';
import type { Chance } from '../platform/platform.ts';
import type { Table, Write } from '../platform/table.ts';
import { networkKinds } from './kinds/networks.ts';
import { countTaken, findFree, freePlace, type Space, takePlace } from './places.ts';
import { readRecord } from './records/find.ts';

export type Limits = Readonly<Record<Counted, number>>;

/** Of those who may have any number, each draws one: no two ever meet. */
const manyPlaces = 2n ** 48n;

const spaceOf = (project: string, what: Counted): Space => ({ partition: `quota#${what}#${project}`, digits: 12 });

/** What is counted in a record with these values. */
const pick = (of: (what: Counted) => number): Limits =>
  Object.fromEntries(counted.map((what) => [what, of(what)])) as Limits;

/** The limits of who has none of his own. */
export const defaultLimits: Limits = pick((what) => quota[what].default);

/** The limits of a project; -1: any number. */
export const limitsOf = async (table: Table, project: string): Promise<Limits> => {
  const own = await readRecord(table, networkKinds.network_quota, project);
  return own ? pick((what) => own[what]) : defaultLimits;
};

/** How many of each a project has; it reads as many items. */
export const usedBy = async (table: Table, project: string): Promise<Limits> => {
  const counts = await Promise.all(counted.map(async (what) => countTaken(table, spaceOf(project, what))));
  return pick((what) => counts[counted.indexOf(what)]!);
};

/**
 * How many places there are to choose from. Those who took theirs under a higher limit may hold one beyond them, and count
 * all the same; usually there are none, and it costs one read.
 */
const openPlaces = async (table: Table, space: Space, limit: number): Promise<number> => {
  let open = limit;
  while (open > 0) {
    const left = limit - (await countTaken(table, space, BigInt(open)));
    if (left >= open) return open;
    open = left;
  }
  return 0;
};

/**
 * A place for one more, and the write that takes it; that is refused if somebody was faster, and there may be another.
 * `holder`: the UUID of the record. Throws OverQuota (409).
 */
export const oneMore = async (
  needs: { readonly table: Table; readonly chance: Chance },
  what: Counted,
  project: string,
  holder: string,
): Promise<{ readonly slot: number; readonly write: Write }> => {
  const limit = (await limitsOf(needs.table, project))[what];
  const space = spaceOf(project, what);
  const places = limit === -1 ? manyPlaces : BigInt(await openPlaces(needs.table, space, limit));
  const slot = places === 0n ? undefined : await findFree(needs, space, [{ first: 0n, last: places - 1n }]);
  if (slot === undefined) throw OverQuota(what);
  return { slot: Number(slot), write: takePlace(space, slot, holder) };
};

/** The write that gives back the place of a record. */
export const oneLess = (
  what: Counted,
  { project_id: project, slot }: { readonly project_id: string; readonly slot: number },
): Write => freePlace(spaceOf(project, what), BigInt(slot));
