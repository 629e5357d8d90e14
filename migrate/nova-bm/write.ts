/** Carries a plan out: each record is written, or it is told why not, in place of what was planned for it. */
import { type ImportRecord, largest, type Outcome, type Target } from '../target.ts';
import type { Entry } from './plan.ts';

type Wanted = Extract<Entry, { is: 'node' | 'port' }>;

const isWanted = (entry: Entry): entry is Wanted => entry.is === 'node' || entry.is === 'port';

/** What the API has a field for. Here its secrets come back to driver_info, which seals them. */
const recordOf = (entry: Wanted): ImportRecord => {
  if (entry.is === 'port') return { kind: 'port', record: entry.record };
  const { conductor: _, takeover_pending: __, ...record } = entry.record;
  return { kind: 'node', record: { ...record, driver_info: { ...record.driver_info, ...entry.secrets } } };
};

const become = (entry: Wanted, { outcome, reason = 'no reason given' }: Outcome): Entry => {
  const { table, id } = entry;
  if (outcome === 'created') return entry;
  if (outcome === 'unchanged') return { is: 'skipped', table, id, reason: 'identical', uuid: entry.record.uuid };
  return { is: 'rejected', table, id, reason: outcome, detail: reason };
};

/** Nodes that are not there as they were brought: what belongs to them has no place. */
type Missing = { readonly byUuid: Map<string, number>; readonly ids: Set<number> };

const withoutParent = (entry: Entry, missing: Missing): Entry => {
  const parent = entry.is === 'port' ? missing.byUuid.get(entry.record.node_uuid) : undefined;
  if (parent === undefined) return entry;
  const { table, id } = entry;
  return { is: 'rejected', table, id, reason: 'parent-not-imported', detail: `bm_nodes id ${parent} was not imported` };
};

const writeBatch = async (batch: readonly Entry[], target: Target, missing: Missing): Promise<Entry[]> => {
  const told = batch.map((entry) => withoutParent(entry, missing));
  const wanted = told.filter(isWanted);
  const outcomes = wanted.length === 0 ? [] : await target.write(wanted.map(recordOf));
  const became = new Map(wanted.map((entry, at) => [entry as Entry, become(entry, outcomes[at]!)]));
  for (const [from, { is }] of became) {
    if (from.is !== 'node' || is !== 'rejected') continue;
    missing.byUuid.set(from.record.uuid, from.id);
    missing.ids.add(from.id);
  }
  return told.map((entry) => became.get(entry) ?? entry);
};

/**
 * The plan's entries, in order, with what became of them. May be stopped anywhere and begun again: what is there is left
 * as it is. Throws what the target throws.
 */
export const writePlan = async function* (plan: AsyncIterable<Entry>, target: Target): AsyncGenerator<Entry> {
  const missing: Missing = { byUuid: new Map(), ids: new Set() };
  let batch: Entry[] = [];
  const flush = async function* (): AsyncGenerator<Entry> {
    const all = batch;
    batch = [];
    for (const entry of await writeBatch(all, target, missing)) {
      // What is said of a node that was imported is not said of one that was not.
      if (entry.is !== 'warning' || !missing.ids.has(entry.id)) yield entry;
    }
  };
  for await (const entry of plan) {
    // Ports are judged by what became of their nodes.
    const next = entry.is === 'port' && batch.some(({ is }) => is === 'node');
    if (next || batch.length >= largest) yield* flush();
    batch.push(entry);
  }
  yield* flush();
};
