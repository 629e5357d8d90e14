/**
 * Synchronises the power states of nodes with those of their machines, which somebody may have switched at the BMC, or by
 * hand, or which have lost their power. The fleet is looked at in batches, each one invocation of the proxy of its site; a
 * run begins only for a machine that is to be switched back.
 */
import { type PowerSeen, surveySize, type SurveyReply } from '../../layers/bmc/power-survey.ts';
import { hasPowerFailure, isSynced, syncedDrivers } from '../../layers/domain/baremetal/power-sync.ts';
import { isFault } from '../../layers/domain/fault.ts';
import { note } from '../../layers/domain/notes.ts';
import type { Invocation, Platform } from '../../layers/platform/platform.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { nodesBy } from '../../layers/store/node-lists.ts';
import type { ListedNode } from '../../layers/store/nodes.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { startRun } from '../../workflows/run/start.ts';
import type { Config } from './config.ts';
import { forcing, settle } from './settle.ts';

export type Deps = Pick<Platform, 'table' | 'functions' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

/** `looked`: machines that were asked for; `seen`: of these, those whose power is known; `changed`: nodes written. */
export type Report = { readonly looked: number; readonly seen: number; readonly changed: number };

/** Invocations of the proxy at once. */
const batchesAtOnce = 8;

/** No batch is begun after that: the proxy takes up to two minutes, ms. */
const batchTime = 130_000;

/** Nodes that are written at once. */
const atOnce = 16;

/** Those that did not answer the last time: they may keep the proxy waiting again, but nobody else. */
const isDoubtful = (node: ListedNode): boolean =>
  hasPowerFailure(node) || note(node, 'power_sync_failures') !== undefined;

/** In another order each time: where there is not time enough for all, each has its turn. */
const shuffled = <T>({ chance }: Deps, all: readonly T[]): T[] =>
  all
    .map((one) => ({ one, place: chance.number() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);

const cut = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

const batchesOf = async (deps: Deps): Promise<ListedNode[][]> => {
  const nodes = shuffled(deps, (await nodesBy(deps.table, 'driver', syncedDrivers)).filter(isSynced));
  const sure = nodes.filter((node) => !isDoubtful(node));
  return [...cut(sure, surveySize), ...cut(nodes.filter(isDoubtful), surveySize)];
};

/** A proxy that fails says nothing of machines. */
const survey = async ({ functions, log }: Deps, nodes: readonly ListedNode[]): Promise<SurveyReply['seen']> => {
  const request = { survey: 'power', nodes: nodes.map(({ uuid }) => uuid) };
  try {
    return ((await functions.invoke('bmc-proxy', request)) as SurveyReply).seen;
  } catch (error) {
    log.warn('The power of machines could not be read; the next round tries again.', { nodes: nodes.length, error });
    return {};
  }
};

/** Whether anything was written. One node that cannot be written keeps no other from it. */
const settleOne = async (deps: Deps, config: Config, listed: ListedNode, seen: PowerSeen): Promise<boolean> => {
  const birth = deps.ids.ulid();
  try {
    const { before, after } = await changeRecord(deps, kinds.node, listed.uuid, (node) =>
      settle(node, { listed, seen, birth }, config),
    );
    if (after.reservation !== null && after.reservation !== before.reservation) {
      await startRun(deps, 'power', after.reservation, forcing(after));
    }
    return after !== before;
  } catch (error) {
    if (!isFault(error) || error.name !== 'NotFound') {
      deps.log.warn('What was seen of a machine could not be noted; the next round tries again.', {
        node: listed.uuid,
        error,
      });
    }
    return false;
  }
};

const serve = async (deps: Deps, config: Config, nodes: readonly ListedNode[]): Promise<Report> => {
  const seen = await survey(deps, nodes);
  const asked = nodes.filter(({ uuid }) => Object.hasOwn(seen, uuid));
  let changed = 0;
  for (const some of cut(asked, atOnce)) {
    const done = await Promise.all(some.map(async (node) => settleOne(deps, config, node, seen[node.uuid]!)));
    changed += done.filter(Boolean).length;
  }
  return { looked: nodes.length, seen: asked.filter(({ uuid }) => 'power' in seen[uuid]!).length, changed };
};

/** One look at all machines; what there is no time for is for the next. Throws Unavailable while lists are made anew. */
export const create =
  (deps: Deps, config: Config) =>
  async (_event: unknown, { remaining_ms }: Invocation): Promise<Report> => {
    const waiting = await batchesOf(deps);
    const reports: Report[] = [];
    const place = async (): Promise<void> => {
      while (remaining_ms() >= batchTime) {
        const batch = waiting.shift();
        if (!batch) return;
        reports.push(await serve(deps, config, batch));
      }
    };
    await Promise.all(Array.from({ length: batchesAtOnce }, place));
    if (waiting.length > 0)
      deps.log.warn('There was not time enough to look at all machines.', { batches: waiting.length });
    const sum = (name: keyof Report) => reports.reduce((total, report) => total + report[name], 0);
    return { looked: sum('looked'), seen: sum('seen'), changed: sum('changed') };
  };
