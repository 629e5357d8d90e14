/**
 * Nothing is ever stuck (DESIGN.md 3.9): looks at every node that a run owns or locks and at every allocation that
 * looks for a node, starts a run that was recorded but never started, and fails one whose execution ended without it.
 * Called at start, by a schedule, and when an execution ends badly. The schedule also writes guest documents that could
 * not be written, and sweeps objects that no node refers to; after an update it first brings the table into its new form.
 */
import type { Platform } from '../../layers/platform/platform.ts';
import { upgradeTable } from '../../layers/store/upgrade.ts';
import { allocationWorkflows, nodeWorkflows, type OwnerName } from '../../workflows/index.ts';
import { createAllocationOwner } from '../../workflows/owners/allocation/index.ts';
import { createNodeOwner } from '../../workflows/owners/node/index.ts';
import { lookAfter, type Deed } from '../../workflows/run/mend.ts';
import type { Keeper } from '../../workflows/run/owner.ts';
import { settleGuests } from './guests.ts';
import { sweepObjects } from './sweep.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

/**
 * What was done: nodes and allocations looked at, runs started, runs failed; `stuck` is how often sync could not help:
 * a node or an allocation that could not be looked after, a run of a workflow that is not known, a lost run that could
 * not be failed for an hour.
 */
export type Report = {
  readonly looked: number;
  readonly started: number;
  readonly failed: number;
  readonly stuck: number;
};

/** Those whose runs are looked after; the first member of an execution's input says whose it is. */
const owners: { readonly [O in OwnerName]: Keeper } = {
  node: createNodeOwner(nodeWorkflows),
  allocation: createAllocationOwner(allocationWorkflows),
};
const keepers: readonly Keeper[] = Object.values(owners);

type Owned = { readonly keeper: Keeper; readonly uuid: string };

/** All that something works on. */
const allBusy = async (deps: Deps): Promise<Owned[]> => {
  const found = await Promise.all(
    keepers.map(async (keeper) => (await keeper.busy(deps)).map((uuid) => ({ keeper, uuid }))),
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
const ownedBy = (event: unknown): Owned[] | undefined => {
  const input = parsed((event as { detail?: { input?: unknown } } | null)?.detail?.input);
  const found = keepers.flatMap((keeper) => {
    const uuid = input[keeper.kind];
    return typeof uuid === 'string' ? [{ keeper, uuid }] : [];
  });
  return found.length > 0 ? found : undefined;
};

/** What is stored can wait; nodes cannot. */
const tidy = async (deps: Deps): Promise<void> => {
  await settleGuests(deps).catch((error: unknown) => {
    deps.log.error('Guest documents could not be written; the next round tries again.', { error });
  });
  await sweepObjects(deps).catch((error: unknown) => {
    deps.log.error('Objects could not be swept; the next round tries again.', { error });
  });
};

/**
 * Functions of the version before answer within two minutes; AWS calls this one every five, and stops it after five.
 * Milliseconds.
 */
const patience = { grace: 4 * 60_000, turn: 3 * 60_000 };

const nothing: Report = { looked: 0, started: 0, failed: 0, stuck: 0 };

/** Whether lists can be read, of what is busy among others. */
const isReady = async (deps: Deps): Promise<boolean> => {
  const done = await upgradeTable(deps, patience);
  if (!done) deps.log.warn('The table is being brought into the form of this version; nodes are looked at after that.');
  return done;
};

const atOnce = 16;

/** An event of an execution: what that works on; any other event: all that something works on. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async (event: unknown): Promise<Report> => {
    const one = ownedBy(event);
    if (!one && !(await isReady(deps))) return nothing;
    const all = one ?? (await allBusy(deps));
    const deeds: Deed[] = [];
    for (let at = 0; at < all.length; at += atOnce) {
      const batch = all.slice(at, at + atOnce);
      const done = await Promise.all(batch.map(async ({ keeper, uuid }) => lookAfter(deps, keeper, uuid)));
      deeds.push(...done.flat());
    }
    const count = (deed: Deed) => deeds.filter((each) => each === deed).length;
    if (!one) await tidy(deps);
    return { looked: all.length, started: count('started'), failed: count('failed'), stuck: count('stuck') };
  };
