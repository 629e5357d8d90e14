/** Moves an Ironic: what is asked before anything is written, and the move itself, which may be ended and begun anywhere. */
import { eachAtOnce } from '../../layers/domain/at-once.ts';
import type { Target } from '../target.ts';
import { ahead } from './ahead.ts';
import type { Page, Values } from './api.ts';
import { type Entry, listed, type Reading, readEntries, refuse, type Rejected, send, warn } from './entry.ts';
import { fence, isFenced, unfence } from './fence.ts';

/** Requests to the source at a time: each that changes something takes a worker of a conductor, and its database. */
const fencedAtOnce = 8;

/**
 * How often a run looks again for locks without one of them coming free, and milliseconds between two looks: a minute, in
 * which a power action ends. Who has waited so long in vain looks `least` times on each page that comes: a lock that stays
 * on one page says nothing of those on others.
 */
const patience = { times: 30, least: 5, pause: 2000 } as const;

/** What is left of it. */
type Waiting = { left: number };

const isBusy = ({ reservation = null, target_power_state: target = null }: Values): boolean =>
  reservation !== null || target !== null;

const uuidOf = ({ uuid }: Values): string => uuid as string;

/** The records of the page once those that count are at work no more, or as they are then. */
const settled = async (
  { running, sleep }: Reading,
  page: Page,
  now: readonly Values[],
  waiting: Waiting,
  counts: (node: Values) => boolean = () => true,
): Promise<readonly Values[]> => {
  // Where nobody works any more a lock stays.
  if (!running) return now;
  const records = new Map(now.map((node) => [uuidOf(node), node]));
  const busy = (): Values[] => [...records.values()].filter((one) => isBusy(one) && counts(one));
  waiting.left = Math.max(waiting.left, patience.least);
  for (let waits = busy(); waiting.left > 0 && waits.length > 0;) {
    await sleep(patience.pause);
    const next = new Map((await page.again()).map((node) => [uuidOf(node), node]));
    // Those that were free stay as they were seen: on a large source somebody is always at work.
    for (const uuid of waits.map(uuidOf)) {
      if (next.has(uuid)) records.set(uuid, next.get(uuid)!);
      else records.delete(uuid);
    }
    const left = busy();
    waiting.left = left.length < waits.length ? patience.times : waiting.left - 1;
    waits = left;
  }
  return [...records.values()];
};

/**
 * All that would be moved, page by page, with what would become of it; nothing is written anywhere. Without a target as
 * far as that can be told without. Who is rejected is noted in `rejected`.
 */
export const foresee = async function* (
  reading: Reading,
  target: Target | undefined,
  rejected: Rejected,
): AsyncGenerator<Entry[]> {
  const to = target?.foresee ?? (async (records) => records.map(() => ({ outcome: 'created' }) as const));
  const waiting: Waiting = { left: patience.times };
  for (const name of listed) {
    for await (const page of ahead(reading.ironic.pages(name))) {
      const records = name === 'node' ? await settled(reading, page, page.records, waiting) : page.records;
      yield await send(await readEntries(reading, name, records, rejected), rejected, to);
    }
  }
};

type Moving = {
  readonly target: Target;
  /** Its URL, for whoever reads at the source why a node is in maintenance. */
  readonly here: string;
  /** Who was rejected when it was asked before, which stays as it is. */
  readonly rejected: Rejected;
};

/** A page of nodes as they are once they are fenced. */
type Fenced = {
  readonly shown: ReadonlyMap<string, Values>;
  readonly entries: readonly Entry[];
  /** Those that were fenced just now, as they were before. */
  readonly before: ReadonlyMap<string, Values>;
};

/** Of a node that is not there any more no more is known. */
const gone = (node: Values): Entry => {
  const about = { kind: 'node', uuid: uuidOf(node), name: null, record: node, masked: node } as const;
  const entry: Entry = { ...about, missing: [], is: 'wanted', warnings: [] };
  return refuse(entry, 'gone', 'it was deleted at the source while it was moved.');
};

const asKnown =
  (rejected: Rejected) =>
  (entry: Entry): Entry => {
    const known = rejected.get(entry.uuid);
    return known ? refuse(entry, known.reason, known.detail) : entry;
  };

/** Those that could not be fenced, by UUID, and why. */
const fenceAll = async (
  reading: Reading,
  nodes: readonly Values[],
  here: string,
): Promise<ReadonlyMap<string, string>> => {
  const failures = new Map<string, string>();
  await eachAtOnce(nodes, fencedAtOnce, async (node) => {
    const failed = await fence(reading, node, here);
    if (failed !== undefined) failures.set(uuidOf(node), failed);
  });
  return failures;
};

/** Fences the nodes that are wanted, and reads all of the page then: until then the source may have changed them. */
const fencePage = async (
  reading: Reading,
  page: Page,
  { here, rejected }: Moving,
  waiting: Waiting,
): Promise<Fenced> => {
  const due = page.records.filter((node) => !rejected.has(uuidOf(node)));
  const failures = await fenceAll(reading, due, here);
  const isDue = new Set(due.map(uuidOf));
  const now = await settled(reading, page, await page.again(), waiting, (node) => isDue.has(uuidOf(node)));
  const shown = new Map(now.map((node) => [uuidOf(node), node]));
  const found = page.records.flatMap((node): Values[] => (shown.has(uuidOf(node)) ? [shown.get(uuidOf(node))!] : []));
  const fresh = new Map((await readEntries(reading, 'node', found, rejected)).map((entry) => [entry.uuid, entry]));
  const entryOf = (node: Values): Entry => {
    const uuid = uuidOf(node);
    const entry = fresh.get(uuid);
    if (!entry) return gone(node);
    if (failures.has(uuid)) return refuse(entry, 'not-fenced', failures.get(uuid)!);
    if (!isDue.has(uuid) || isFenced(shown.get(uuid)!)) return asKnown(rejected)(entry);
    return refuse(entry, 'not-fenced', 'somebody ended its maintenance meanwhile.');
  };
  const fencedNow = due.filter((node) => !isFenced(node) && !failures.has(uuidOf(node)));
  const before = new Map(fencedNow.map((node) => [uuidOf(node), node]));
  return { shown, entries: page.records.map(entryOf), before };
};

/** Page by page. Nothing is judged by what is read before the fence. */
const fencedPages = async function* (reading: Reading, moving: Moving, waiting: Waiting): AsyncGenerator<Fenced> {
  if (reading.running) {
    for await (const page of reading.ironic.pages('node')) {
      yield await fencePage(reading, page, moving, waiting);
    }
    return;
  }
  for await (const { records } of reading.ironic.pages('node')) {
    const entries = (await readEntries(reading, 'node', records, moving.rejected)).map(asKnown(moving.rejected));
    yield { shown: new Map(records.map((node) => [uuidOf(node), node])), entries, before: new Map() };
  }
};

/** A node that was fenced and is not here after all goes back to what it was in; who it can not be done for is told. */
const letGo = async (reading: Reading, entry: Entry, { shown, before }: Fenced): Promise<Entry> => {
  const { uuid, is, refusal } = entry;
  if (is !== 'rejected') return entry;
  const node = before.get(uuid);
  const failed = node && shown.has(uuid) ? await unfence(reading, node) : undefined;
  if (failed !== undefined) return warn(entry, 'still-fenced', `${failed} End it by hand: it was set for this move.`);
  const isLeft = node === undefined && refusal?.reason !== 'conflict' && isFenced(shown.get(uuid) ?? {});
  if (!isLeft) return entry;
  return warn(
    entry,
    'still-fenced',
    'an earlier move set its maintenance at the source: end it by hand if it is not here.',
  );
};

/** Moves a page of nodes, and what is beside them. */
const moveNodes = async function* (
  reading: Reading,
  page: Fenced,
  { target, rejected }: Moving,
): AsyncGenerator<Entry[]> {
  const became = await send(page.entries, rejected, target.write);
  yield await eachAtOnce(became, fencedAtOnce, async (entry) => letGo(reading, entry, page));
  const here = became.filter(({ is }) => is !== 'rejected').map(({ uuid }) => page.shown.get(uuid)!);
  for await (const some of reading.beside.of(here)) yield await send(some, new Map(), target.write);
};

/**
 * Moves page after page, and tells what became of each record; the next page is read, and fenced, while one is written.
 * What is there is left as it is. Throws what asking throws.
 */
export const move = async function* (reading: Reading, moving: Moving): AsyncGenerator<Entry[]> {
  const { target, rejected } = moving;
  const waiting: Waiting = { left: patience.times };
  for (const name of listed) {
    if (name === 'node') {
      for await (const page of ahead(fencedPages(reading, moving, waiting))) yield* moveNodes(reading, page, moving);
      continue;
    }
    for await (const { records } of ahead(reading.ironic.pages(name))) {
      const entries = (await readEntries(reading, name, records, rejected)).map(asKnown(rejected));
      yield await send(entries, rejected, target.write);
    }
  }
};
