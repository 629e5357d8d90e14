import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';
import type { FeedRecord } from '../../../layers/platform/feed.ts';
import type { Write } from '../../../layers/platform/table.ts';
import { connect } from '../../../local/rpc.ts';
import type { Feed, NewDelivery } from '../../../local/table/feed.ts';
import { startTable } from '../../../local/table/start.ts';
import { createWriter } from '../../../local/table/writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-feed-'));
let files = 0;
const newPath = () => join(folder, `${(files += 1)}.db`);
afterAll(() => rmSync(folder, { recursive: true }));

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const followed = { sort: 'node', watched: ['state'], carried: ['uuid', 'revision'] };
const key = { pk: 'node#1', sk: 'node' };

const open = (path = newPath()) => {
  const clock = createVirtualClock();
  const told: number[] = [];
  const writer = createWriter(path, clock, { followed, onChange: () => told.push(1) });
  const close = async () => writer.close();
  return {
    path,
    clock,
    told,
    writer,
    feed: writer.feed,
    write: async (...writes: Write[]) => writer.write(writes),
    close,
  };
};

const records = async (feed: Feed) => (await feed.changes(9)).map(({ record }) => JSON.parse(record) as FeedRecord);

const put = (values: object, item = key): Write => ({ put: { ...item, ...values } });

describe('the log of changes', () => {
  it('has what an item was and is, as far as followers see it', async () => {
    const { clock, feed, write, told, close } = open();
    await write(put({ uuid: '1', revision: 1, state: 'a', secret: 'x' }));
    await write({ update: key, set: { state: 'b', revision: 2 } });
    await write({ delete: key });
    const all = (SequenceNumber: string, OldImage?: object, NewImage?: object) => ({
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(clock.now() / 1000),
        SequenceNumber,
        Keys: { pk: { S: 'node#1' }, sk: { S: 'node' } },
        ...(OldImage && { OldImage }),
        ...(NewImage && { NewImage }),
      },
    });
    const form = (state: string, revision: number) => ({
      uuid: { S: '1' },
      revision: { N: `${revision}` },
      state: { S: state },
    });
    expect((await feed.changes(9)).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await records(feed)).toEqual([
      all('1', undefined, form('a', 1)),
      all('2', form('a', 1), form('b', 2)),
      all('3', form('b', 2)),
    ]);
    expect(told).toHaveLength(3);
    await close();
  });

  it('has no other items, and no change of what nobody watches for', async () => {
    const { feed, write, told, close } = open();
    await write(put({ state: 'a', revision: 1 }));
    await feed.followed(1);
    told.splice(0);
    await write(put({ state: 'a', revision: 2, extra: { a: 1 } }));
    await write(put({ state: 'a' }, { pk: 'node#1', sk: 'port#1' }));
    await write({ check: key, when: [{ is: 'present' }] });
    await write({ delete: { pk: 'node#2', sk: 'node' } });
    expect([await feed.changes(9), told]).toEqual([[], []]);
    await close();
  });

  it('has nothing of a transaction that was refused', async () => {
    const { feed, write, told, close } = open();
    const refused = write(put({ state: 'a' }), { put: { ...key, sk: 'x' }, when: [{ is: 'present' }] });
    await expect(refused).rejects.toMatchObject({ name: 'ConditionFailed' });
    expect([await feed.changes(9), told]).toEqual([[], []]);
    await close();
  });

  it('is there when the file is opened again, and numbers are never used twice', async () => {
    const first = open();
    await first.write(put({ state: 'a' }));
    await first.write(put({ state: 'b' }));
    await first.feed.followed(1);
    await first.close();
    const second = open(first.path);
    expect((await second.feed.changes(9)).map(({ id }) => id)).toEqual([2]);
    await second.feed.followed(2);
    await second.write(put({ state: 'c' }));
    expect((await second.feed.changes(9)).map(({ id }) => id)).toEqual([3]);
    await second.close();
  });

  it('begins in a file of an earlier version with what is written then', async () => {
    const path = newPath();
    const earlier = open(path);
    await earlier.write(put({ state: 'a' }));
    await earlier.close();
    const database = new DatabaseSync(path);
    database.exec('DROP TABLE changes; DROP TABLE deliveries; PRAGMA user_version = 3;');
    database.close();
    const later = open(path);
    expect(await later.feed.changes(9)).toEqual([]);
    await later.write(put({ state: 'b' }));
    expect(await records(later.feed)).toMatchObject([
      { dynamodb: { OldImage: { state: { S: 'a' } }, NewImage: { state: { S: 'b' } } } },
    ]);
    await later.close();
  });
});

describe('events that wait', () => {
  const delivery = (n: number, consumer = 'c', about = 'a'): NewDelivery => ({
    consumer,
    event: `e${n}`,
    key: about,
    body: `"${n}"`,
  });
  const bodies = async (feed: Feed, consumer = 'c', except: string[] = []) =>
    (await feed.waiting(consumer, 9, except)).map(({ body }) => body);

  it('are those of a consumer, in their order, until they are taken', async () => {
    const { feed, close } = open();
    await feed.hand([delivery(1), delivery(2, 'c', 'b'), delivery(3), delivery(1, 'd')]);
    expect([await bodies(feed), await bodies(feed, 'd')]).toEqual([['"1"', '"2"', '"3"'], ['"1"']]);
    expect(await bodies(feed, 'c', ['a'])).toEqual(['"2"']);
    const [first] = await feed.waiting('c', 1);
    await feed.taken([first!.id]);
    expect([await bodies(feed), await bodies(feed, 'd')]).toEqual([['"2"', '"3"'], ['"1"']]);
    await feed.keepOnly(['d']);
    expect([await bodies(feed), await bodies(feed, 'd')]).toEqual([[], ['"1"']]);
    await close();
  });

  it('are not doubled by being handed over again', async () => {
    const { feed, close } = open();
    await feed.hand([delivery(1), delivery(2)]);
    await feed.hand([delivery(1), delivery(3)]);
    expect(await bodies(feed)).toEqual(['"1"', '"2"', '"3"']);
    await close();
  });
});

it('is served by the thread of the table, which says when there is something to follow', async () => {
  const thread = await startTable(newPath(), followed);
  const [port, writer] = [thread.feed(), thread.port()];
  closers.push(async () => {
    port.close();
    writer.close();
    await thread.stop();
  });
  const told = new Promise<void>((resolve) => thread.onChange(resolve));
  const feed = connect<Feed>(port);
  await connect<{ write(writes: Write[]): Promise<void> }>(writer).write([put({ state: 'a' })]);
  await told;
  expect(await records(feed)).toMatchObject([{ dynamodb: { NewImage: { state: { S: 'a' } } } }]);
  await feed.followed(1);
  expect(await feed.changes(9)).toEqual([]);
});
