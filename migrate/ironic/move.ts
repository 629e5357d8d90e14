/** Moves an Ironic: what is asked before anything is written, and the move itself, which may be ended and begun anywhere. */
import { eachAtOnce } from '../../layers/domain/at-once.ts';
import type { Target } from '../target.ts';
import type { Page, Values } from './api.ts';
import { type Entry, listed, type Reading, readEntries, refuse, type Rejected, send } from './entry.ts';
import { fence, isFenced } from './fence.ts';
import { inventory, type ResourceName } from './fields.ts';
import { readShown } from './record.ts';

/** Requests to the source at a time: each that changes something takes a worker of a conductor, and its database. */
const atOnce = { reading: 8, fencing: 4 } as const;

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
  for (const name of listed) {
    for await (const { records } of reading.ironic.pages(name)) {
      yield await send(await readEntries(reading, name, records, rejected), rejected, to);
    }
  }
};

/** Times and milliseconds between them: the lock of what set the maintenance may be there for a moment longer. */
const settling = { tries: 5, pause: 2000 } as const;

/** The page once no node of these is locked any more, or as it is then. */
const settled = async (
  page: Page,
  wanted: ReadonlySet<string>,
  sleep: (ms: number) => Promise<unknown>,
): Promise<readonly Values[]> => {
  for (let attempt = 1; ; attempt += 1) {
    const now = await page.again();
    const isLocked = now.some(({ uuid, reservation = null }) => wanted.has(uuid as string) && reservation !== null);
    if (!isLocked || attempt >= settling.tries) return now;
    await sleep(settling.pause);
  }
};

/** Fences the nodes that are wanted, and reads them again: until then the source may have changed them. */
const fenced = async (
  reading: Reading,
  page: Page,
  entries: readonly Entry[],
  rejected: Rejected,
  sleep: (ms: number) => Promise<unknown>,
): Promise<Entry[]> => {
  const wanted = new Set(entries.filter(({ is }) => is === 'wanted').map(({ uuid }) => uuid));
  const due = page.records.filter(({ uuid }) => wanted.has(uuid as string));
  const failures = new Map<string, string>();
  await eachAtOnce(due, atOnce.fencing, async (node) => {
    const failed = await fence(reading.ironic, node, sleep);
    if (failed !== undefined) failures.set(node['uuid'] as string, failed);
  });
  const now = new Map((await settled(page, wanted, sleep)).map((node) => [node['uuid'] as string, node]));
  const found = due.flatMap(({ uuid }): Values[] => (now.has(uuid as string) ? [now.get(uuid as string)!] : []));
  const fresh = new Map((await readEntries(reading, 'node', found, rejected)).map((entry) => [entry.uuid, entry]));
  return entries.map((entry) => {
    const { uuid } = entry;
    if (!wanted.has(uuid)) return entry;
    if (failures.has(uuid)) return refuse(entry, 'not-fenced', failures.get(uuid)!);
    const again = fresh.get(uuid);
    if (!again) return refuse(entry, 'gone', 'it was deleted at the source while it was moved.');
    return isFenced(now.get(uuid)!) ? again : refuse(entry, 'not-fenced', 'somebody ended its maintenance meanwhile.');
  });
};

const entryOf = (kind: Entry['kind'], uuid: string, record: Values): Entry => {
  return { kind, uuid, name: null, record, masked: record, missing: [], is: 'wanted', warnings: [] };
};

/** What there is of a node beside its record. Of what came with a later version of its API there is none. */
export const besideOf = async ({ ironic }: Pick<Reading, 'ironic'>, node: string): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for await (const { records } of ironic.pages('history', node)) {
    for (const one of records) {
      const { record } = readShown('history', one);
      // Ironic's own may be null; an entry here has to have one.
      entries.push(entryOf('history', record['uuid'] as string, { event_type: 'unknown', ...record, node_uuid: node }));
    }
  }
  if (ironic.version < inventory.since) return entries;
  const path = inventory.path.replace('{node}', node);
  const reply = await ironic.ask('GET', path);
  if (reply.status === 404) return entries;
  const { inventory: found, plugin_data = {} } =
    reply.status === 200 ? (reply.body as Values) : await ironic.read(path);
  return [...entries, entryOf('inventory', node, { node_uuid: node, inventory: found, plugin_data })];
};

/** `sleep` takes milliseconds. */
type Moving = {
  readonly target: Target;
  /** Who was rejected when it was asked before, which stays as it is. */
  readonly rejected: Rejected;
  sleep(ms: number): Promise<unknown>;
};

const movePage = async (
  reading: Reading,
  name: ResourceName,
  page: Page,
  { target, rejected, sleep }: Moving,
): Promise<Entry[]> => {
  const known = (entry: Entry): Entry => {
    const before = rejected.get(entry.uuid);
    return before ? refuse(entry, before.reason, before.detail) : entry;
  };
  const entries = (await readEntries(reading, name, page.records, rejected)).map(known);
  const ready = name === 'node' && reading.running ? await fenced(reading, page, entries, rejected, sleep) : entries;
  const became = await send(ready, rejected, target.write);
  if (name !== 'node') return became;
  const here = became.filter(({ is }) => is !== 'rejected');
  const beside = (await eachAtOnce(here, atOnce.reading, async ({ uuid }) => besideOf(reading, uuid))).flat();
  return [...became, ...(await send(beside, new Map(), target.write))];
};

/** Moves page after page, and tells what became of each record. What is there is left as it is. Throws what asking throws. */
export const move = async function* (reading: Reading, moving: Moving): AsyncGenerator<Entry[]> {
  for (const name of listed) {
    for await (const page of reading.ironic.pages(name)) yield await movePage(reading, name, page, moving);
  }
};
