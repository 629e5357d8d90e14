/** The way of an event on one machine, with the real writer, in one process that may die at any of its steps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';

import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { create as createFollower } from '../../../functions/events/app.ts';
import { feed as followed, type SubscriptionRow } from '../../../infra/manifest.ts';
import type { EventDetail } from '../../../layers/domain/events.ts';
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import { systemClock } from '../../../layers/platform/clock.ts';
import type { Events } from '../../../layers/platform/events.ts';
import { createSeededChance } from '../../../layers/platform/memory/chance.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import type { Sink } from '../../../local/events/consumer.ts';
import { createEvents, type EventsRunner } from '../../../local/events/start.ts';
import { createHost } from '../../../local/functions/host.ts';
import { connect } from '../../../local/rpc.ts';
import { openTable } from '../../../local/table/table.ts';
import { createWriter } from '../../../local/table/writer.ts';
import { createLife, type Death } from '../../workflows/mortal.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-events-'));
afterAll(() => rmSync(folder, { recursive: true }));

// What waits for disks and ports waits for real; pauses do not.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Lets time pass until it is so. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let turn = 0; turn < 5000; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(100);
  }
  throw new Error('It did not become so.');
};

let files = 0;

/** A table with nodes in it; what is written is logged whether or not somebody follows. */
const createWorld = () => {
  const path = join(folder, `${(files += 1)}.db`);
  const kick = { current: (): void => undefined };
  const writer = createWriter(path, systemClock, { followed, onChange: () => kick.current() });
  const table = openTable({ path, writer });
  const platform = { table, clock: systemClock, chance: createSeededChance(), ids: createCountedIds() };
  closers.push(async () => {
    table.close();
    await writer.close();
  });
  const enrol = async (values: Partial<StoredNode> = {}): Promise<string> => {
    const uuid = platform.ids.uuid();
    const created_at = new Date(systemClock.now()).toISOString();
    const position = platform.ids.ulid();
    await createRecord(
      platform,
      kinds.node,
      newNode({ uuid, driver: 'fake-hardware', created_at, position, ...values }),
    );
    return uuid;
  };
  const change = async (uuid: string, set: Partial<StoredNode>) =>
    changeRecord(platform, kinds.node, uuid, () => ({ set }));
  return { feed: writer.feed, kick, enrol, change };
};

type World = ReturnType<typeof createWorld>;

/** What is done is forgotten, whoever did it. */
const isForgotten = async ({ feed }: World) =>
  (await feed.changes(9)).length + (await feed.waiting('sink', 9)).length + (await feed.waiting('sync', 9)).length ===
  0;

type Options = {
  readonly sink?: Sink;
  readonly subscriptions?: readonly SubscriptionRow[];
  /** Other functions than `events`. */
  readonly functions?: Readonly<Record<string, (payload: object) => Promise<unknown>>>;
  readonly death?: Death;
};

/** A process that follows the table: `events` is the real function behind the real bus. */
const boot = async (world: World, { sink, subscriptions = [], functions = {}, death }: Options) => {
  const life = createLife(death);
  const log = createLogRecorder();
  let port: MessagePort | undefined;
  let events: Events | undefined;
  let runner: EventsRunner;
  const invokeText = async (name: string, text: string): Promise<unknown> => {
    const payload = JSON.parse(text) as object;
    if (name !== 'events') return functions[name]!(payload);
    if (!port) {
      port = runner.port();
      events = connect<Events>(port);
    }
    return createFollower({ events: events!, log })(payload as never);
  };
  runner = createEvents({
    feed: life.wrap(world.feed),
    functions: life.wrap({ invokeText }),
    subscriptions,
    sink: sink && life.wrap(sink),
    clock: systemClock,
    ids: createCountedIds(),
    log,
  });
  world.kick.current = life.timer(runner.kick);
  closers.push(() => port?.close());
  closers.push(async () => {
    vi.useRealTimers();
    await runner.stop(0);
  });
  await Promise.race([runner.start(), life.death]);
  return { life, log, runner };
};

type Handed = { readonly 'detail-type': string; readonly detail: EventDetail };

const createListener = () => {
  const heard: Handed[] = [];
  const sink: Sink = {
    label: 'a list',
    send: async (events) => void heard.push(...events.map((event) => JSON.parse(event) as Handed)),
  };
  return { heard, sink };
};

const idsOf = (heard: readonly Handed[]) => heard.map(({ detail }) => detail.id);
/** Without repetitions. */
const firstOf = (heard: readonly Handed[]) => [...new Set(idsOf(heard))];
const sortedByNode = (heard: readonly Handed[], uuid: string) => {
  const ids = firstOf(heard.filter(({ detail }) => detail.node_uuid === uuid));
  return [ids, [...ids].sort()] as const;
};

describe('a sink', () => {
  it('gets what happens to nodes, in the form of EventBridge', async () => {
    const world = createWorld();
    const { heard, sink } = createListener();
    await boot(world, { sink });
    const uuid = await world.enrol({ owner: 'p1' });
    await world.change(uuid, { power_state: 'power on' });
    await until(() => heard.length === 2);
    expect(heard[1]).toMatchObject({
      version: '0',
      'detail-type': 'node.power_state',
      source: 'ingot',
      detail: { type: 'node.power_state', node_uuid: uuid, owner: 'p1', after: { power_state: 'power on' } },
    });
    await until(async () => isForgotten(world));
  });

  it('that fails gets the same again after pauses that grow, holds up nobody, and misses nothing', async () => {
    const world = createWorld();
    const { heard, sink } = createListener();
    const tries: number[] = [];
    const other: object[] = [];
    const broken: Sink = {
      label: 'https://hook.test',
      send: async (events) => {
        tries.push(systemClock.now());
        if (tries.length < 5) throw new Error('https://hook.test answered 503.');
        await sink.send(events);
      },
    };
    const { log } = await boot(world, {
      sink: broken,
      subscriptions: [{ function: 'sync', types: ['node.create'] }],
      functions: { sync: async (event) => void other.push(event) },
    });
    await world.enrol();
    await until(() => other.length === 1);
    expect(heard).toEqual([]);
    await world.enrol();
    await until(() => heard.length === 2);
    const pauses = tries.slice(1).map((at, n) => at - tries[n]!);
    expect(pauses.map((pause) => Math.round(pause / 1000))).toEqual([1, 2, 4, 8]);
    expect(log.lines.filter(({ message }) => message.startsWith('The sink'))).toHaveLength(4);
  });

  it('that fails for more than a week is told nothing of what is older', async () => {
    const world = createWorld();
    const { heard, sink } = createListener();
    const state = { broken: true };
    const send: Sink['send'] = async (events) => (state.broken ? Promise.reject(new Error('no')) : sink.send(events));
    const { log } = await boot(world, { sink: { label: 'x', send } });
    const uuid = await world.enrol();
    await until(async () => (await world.feed.waiting('sink', 9)).length === 1);
    vi.setSystemTime(systemClock.now() + 8 * 24 * 3_600_000);
    await until(async () => (await world.feed.waiting('sink', 9)).length === 0);
    expect(log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { consumer: 'sink', events: 1, about: [uuid] } },
    ]);
    state.broken = false;
    await world.change(uuid, { power_state: 'power on' });
    await until(() => heard.length === 1);
    expect(heard[0]).toMatchObject({ 'detail-type': 'node.power_state' });
  });

  it('that is not there any more leaves nothing behind, and one that is new begins with what happens then', async () => {
    const world = createWorld();
    const refusing: Sink = { label: 'x', send: async () => Promise.reject(new Error('no')) };
    const first = await boot(world, { sink: refusing });
    await world.enrol();
    await until(async () => (await world.feed.waiting('sink', 9)).length === 1);
    await first.runner.stop(1000);
    const second = await boot(world, {});
    expect(await world.feed.waiting('sink', 9)).toEqual([]);
    await second.runner.stop(1000);
    const { heard, sink } = createListener();
    await boot(world, { sink });
    const uuid = await world.enrol();
    await until(() => heard.length === 1);
    expect(heard[0]!.detail.node_uuid).toBe(uuid);
  });
});

describe('a function that waits for events', () => {
  const subscriptions: SubscriptionRow[] = [{ function: 'sync', types: ['node.power_state'] }];

  it('is handed those of its types, one at a time and in the order of each node', async () => {
    const world = createWorld();
    const heard: Handed[] = [];
    let atOnce = 0;
    const sync = async (event: object) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      heard.push(event as Handed);
    };
    await boot(world, { subscriptions, functions: { sync } });
    const uuid = await world.enrol();
    for (let n = 0; n < 30; n += 1) await world.change(uuid, { power_state: n % 2 ? null : 'power on' });
    await until(() => heard.length === 30);
    const [ids, sorted] = sortedByNode(heard, uuid);
    expect(ids).toHaveLength(30);
    expect(ids).toEqual(sorted);
  });

  it('gets what it failed at again, and before anything later of the same node; others do not wait for it', async () => {
    const world = createWorld();
    const heard: Handed[] = [];
    const bad: { node?: string; times: number } = { times: 3 };
    const sync = async (event: object) => {
      const { detail } = event as Handed;
      if (detail.node_uuid === bad.node && (bad.times -= 1) >= 0) throw new Error('not now');
      heard.push(event as Handed);
    };
    await boot(world, { subscriptions, functions: { sync } });
    const [one, two] = [await world.enrol(), await world.enrol()];
    bad.node = one;
    for (const uuid of [one, two]) await world.change(uuid, { power_state: 'power on' });
    for (const uuid of [one, two]) await world.change(uuid, { power_state: 'power off' });
    await until(() => heard.length === 4);
    expect(heard.map(({ detail }) => detail.node_uuid)).toEqual([two, two, one, one]);
    for (const uuid of [one, two]) {
      const [ids, sorted] = sortedByNode(heard, uuid);
      expect(ids).toEqual(sorted);
    }
  });

  it('may be one of the host: it is given the events of the bus, again when it fails', async () => {
    vi.useRealTimers();
    const lines: string[] = [];
    const host = createHost({
      rows: { listener: { memory: 64, timeout: 20, grants: [], doc: '' } },
      folder: new URL('../functions/fixtures/', import.meta.url),
      environment: () => ({}),
      wire: () => ({}),
      onLine: (_name, line) => lines.push(line),
    });
    closers.push(async () => host.stop(0));
    const world = createWorld();
    const runner = createEvents({
      feed: world.feed,
      functions: host,
      subscriptions: [{ function: 'listener' as never, types: ['node.vifs'] }],
      clock: systemClock,
      ids: createCountedIds(),
      log: createLogRecorder(),
    });
    closers.push(async () => runner.stop(0));
    await runner.start();
    const port = runner.port();
    closers.push(() => port.close());
    const { publish } = connect<Events>(port);
    const event = (n: number, type: string, more: object = {}) => {
      const id = `e${n}`;
      return { id, type, key: 'a', time: '2026-01-01T00:00:00+00:00', detail: { id, ...more } };
    };
    await publish([event(1, 'node.vifs', { fails: true }), event(2, 'node.create'), event(3, 'node.vifs')]);
    const isHeard = () => lines.filter((line) => line.includes('heard')).length === 2;
    while (!isHeard()) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(lines.flatMap((line) => (JSON.parse(line) as { heard?: string }).heard ?? [])).toEqual([
      'ingot node.vifs e1',
      'ingot node.vifs e3',
    ]);
  });
});

describe('a process that dies', () => {
  const subscriptions: SubscriptionRow[] = [{ function: 'sync', types: ['node.power_state'] }];

  /** Two nodes, each with three events; a process that dies, another one that does not. */
  const live = async (death?: Death) => {
    const world = createWorld();
    const { heard, sink } = createListener();
    const handed: Handed[] = [];
    const options = {
      sink,
      subscriptions,
      functions: { sync: async (event: object) => void handed.push(event as Handed) },
    };
    const nodes = [await world.enrol(), await world.enrol()];
    for (const uuid of nodes) await world.change(uuid, { power_state: 'power on' });
    const first = await boot(world, { ...options, ...(death && { death }) });
    for (const uuid of nodes) await world.change(uuid, { power_state: 'power off' });
    const isDone = () => firstOf(heard).length === 6 && firstOf(handed).length === 4;
    await until(() => first.life.dead() || isDone());
    if (first.life.dead()) await boot(world, options);
    await until(isDone);
    await until(async () => isForgotten(world));
    return { heard, handed, nodes, effects: first.life.effects() };
  };

  it('at any step loses no event, and the next one tells them in their order', async () => {
    const { effects } = await live();
    expect(effects).toBeGreaterThan(10);
    for (let at = 1; at <= effects; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const { heard, handed, nodes } = await live({ at, when });
        for (const uuid of nodes) {
          for (const list of [heard, handed]) {
            const [ids, sorted] = sortedByNode(list, uuid);
            expect([at, when, ids]).toEqual([at, when, sorted]);
          }
        }
      }
    }
  });

  it('repeats at worst what was under way', async () => {
    const { heard } = await live();
    expect(idsOf(heard)).toEqual(firstOf(heard));
  });
});
