import { afterEach, describe, expect, it } from 'vitest';

import { createAwsEvents } from '../../../../layers/platform/aws/event-bridge.ts';
import type { PublishedEvent } from '../../../../layers/platform/events.ts';
import { type Line, type Scripted, serveScript } from './scripted-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const event = (key: string, n = 0, size = 0): PublishedEvent => ({
  id: `${key}-${n}`,
  type: 'node.power_state',
  key,
  time: '2026-01-01T00:00:00.000+00:00',
  detail: { key, n, filler: 'x'.repeat(size) },
});
const many = (count: number, size = 0) => Array.from({ length: count }, (_, n) => event(`node-${n}`, n, size));

type Entry = { EventBusName: string; Source: string; DetailType: string; Time: number; Detail: string };

/** An answer for so many entries, of which those at these places are refused. */
const answer = (count: number, ...refused: number[]): Scripted => ({
  body: {
    FailedEntryCount: refused.length,
    Entries: Array.from({ length: count }, (_, at) =>
      refused.includes(at) ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'x' } : { EventId: `e${at}` },
    ),
  },
});

const open = async (...script: Line[]) => {
  const { site, seen, close } = await serveScript(...script);
  closers.push(close);
  const pauses: number[] = [];
  const clock = { sleep: async (ms: number) => void pauses.push(ms) };
  const events = createAwsEvents({ site, bus: 'ingot', clock, chance: { number: () => 1 } });
  const calls = () => seen.map(({ body }) => (JSON.parse(body.toString()) as { Entries: Entry[] }).Entries);
  const sent = () => calls().map((entries) => entries.map(({ Detail }) => (JSON.parse(Detail) as { n: number }).n));
  return { events, seen, calls, sent, pauses };
};

const all: Line = async ({ body }) => answer((JSON.parse(body.toString()) as { Entries: unknown[] }).Entries.length);

describe('events for EventBridge', () => {
  it('go to the bus with their source, type and time', async () => {
    const { events, seen, calls } = await open(answer(1));
    await events.publish([event('a', 7)]);
    expect(seen[0]).toMatchObject({ headers: { 'x-amz-target': 'AWSEvents.PutEvents' }, signed: true });
    expect(calls()[0]).toEqual([
      {
        EventBusName: 'ingot',
        Source: 'ingot',
        DetailType: 'node.power_state',
        Time: 1_767_225_600,
        Detail: '{"key":"a","n":7,"filler":""}',
      },
    ]);
  });

  it('go ten at a time, and no more than 256 KB', async () => {
    const small = await open(all);
    await small.events.publish(many(23));
    expect(small.sent().map((call) => call.length)).toEqual([10, 10, 3]);
    const large = await open(all);
    await large.events.publish(many(5, 100 * 1024));
    expect(large.sent()).toEqual([[0, 1], [2, 3], [4]]);
  });

  it('of one node never go in one call, so that none comes before an earlier one', async () => {
    const { events, sent } = await open(all);
    await events.publish([event('a', 0), event('b', 1), event('a', 2), event('a', 3), event('b', 4)]);
    expect(sent()).toEqual([[0, 1], [2], [3, 4]]);
  });

  it('that are refused are sent again, alone and after a pause, before what follows', async () => {
    const { events, sent, pauses } = await open(answer(10, 2, 5), answer(2, 1), answer(1), answer(1));
    await events.publish(many(11));
    expect(sent().slice(1)).toEqual([[2, 5], [5], [10]]);
    expect(pauses).toEqual([200, 400]);
  });

  it('that go on being refused end it, with how many are published for certain', async () => {
    const { events, sent } = await open(answer(10), answer(2, 1), ...[1, 2, 3].map(() => answer(1, 0)));
    await expect(events.publish(many(12))).rejects.toMatchObject({
      name: 'Unpublished',
      published: 11,
      message: 'The event bus ingot refused events (ThrottlingException).',
    });
    expect(sent()).toHaveLength(5);
  });

  it('that do not get there end it, too, and no word of the service is kept', async () => {
    const { events } = await open(answer(10), {
      status: 400,
      body: { __type: 'ResourceNotFoundException', message: 'private words' },
    });
    const error = (await events.publish(many(12)).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ name: 'Unpublished', code: 503, published: 10 });
    expect(`${error.message} ${String(error.cause)}`).not.toContain('private words');
  });
});
