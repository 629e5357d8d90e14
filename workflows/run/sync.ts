/**
 * Nothing is ever stuck (DESIGN.md 3.9): looks at all owners that have a run, starts a run that was recorded but never
 * started, and fails one whose execution ended without it. Functions that do so are called at start, by a schedule, and
 * when an execution ends badly.
 */
import type { Platform } from '../../layers/platform/platform.ts';
import { upgradeTable } from '../../layers/store/upgrade.ts';
import { type Deed, lookAfter } from './mend.ts';
import type { Keeper, Needed } from './owner.ts';

/**
 * What was done: owners looked at, runs started, runs failed; `stuck` is how often nothing could be done: an owner that
 * could not be looked after, a run of a workflow that is not known, a lost run that could not be failed for an hour.
 */
export type Report = {
  readonly looked: number;
  readonly started: number;
  readonly failed: number;
  readonly stuck: number;
};

type Needs<K extends Needed> = K & Pick<Platform, 'workflows' | 'table' | 'clock' | 'log'>;
type Owned<K extends Needed> = { readonly keeper: Keeper<K>; readonly uuid: string };

/** All that something works on. */
const allBusy = async <K extends Needed>(needs: K, keepers: readonly Keeper<K>[]): Promise<Owned<K>[]> => {
  const found = await Promise.all(
    keepers.map(async (keeper) => (await keeper.busy(needs)).map((uuid) => ({ keeper, uuid }))),
  );
  return found.flat();
};

const parsed = (text: unknown): Readonly<Record<string, unknown>> => {
  try {
    return (JSON.parse(text as string) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/**
 * Whose execution the event tells of: EventBridge puts its input, a text, into `detail`. Undefined for other events,
 * and for an input that it leaves out because it is large, which ours never are.
 */
const ownedBy = <K extends Needed>(event: unknown, keepers: readonly Keeper<K>[]): Owned<K>[] | undefined => {
  const input = parsed((event as { detail?: { input?: unknown } } | null)?.detail?.input);
  const found = keepers.flatMap((keeper) => {
    const uuid = input[keeper.kind];
    return typeof uuid === 'string' ? [{ keeper, uuid }] : [];
  });
  return found.length > 0 ? found : undefined;
};

const nothing: Report = { looked: 0, started: 0, failed: 0, stuck: 0 };

const atOnce = 16;

/**
 * Functions of the version before answer within two minutes; AWS calls those that sync every five, and stops them after
 * five. Milliseconds.
 */
const patience = { grace: 4 * 60_000, turn: 3 * 60_000 };

/** Brings the table into the form of this version after an update. Whether lists can be read, of what is busy among others. */
const isReady = async ({ table, clock, log }: Pick<Platform, 'table' | 'clock' | 'log'>): Promise<boolean> => {
  const done = await upgradeTable({ table, clock }, patience);
  if (!done) log.warn('The table is being brought into the form of this version; all runs are looked at after that.');
  return done;
};

/**
 * An event of an execution: what that works on; any other event (`whole`): all that something works on, once that can be
 * listed.
 */
export const syncRuns = async <K extends Needed>(
  needs: Needs<K>,
  keepers: readonly Keeper<K>[],
  event: unknown,
): Promise<{ readonly report: Report; readonly whole: boolean }> => {
  const one = ownedBy(event, keepers);
  if (!one && !(await isReady(needs))) return { report: nothing, whole: false };
  const all = one ?? (await allBusy(needs, keepers));
  const deeds: Deed[] = [];
  for (let at = 0; at < all.length; at += atOnce) {
    const batch = all.slice(at, at + atOnce);
    const done = await Promise.all(batch.map(async ({ keeper, uuid }) => lookAfter(needs, keeper, uuid)));
    deeds.push(...done.flat());
  }
  const count = (deed: Deed) => deeds.filter((each) => each === deed).length;
  const report = { looked: all.length, started: count('started'), failed: count('failed'), stuck: count('stuck') };
  return { report, whole: one === undefined };
};
