/** Publishing to an event bus of EventBridge. */
import { EventBridgeClient, PutEventsCommand, type PutEventsResultEntry } from '@aws-sdk/client-eventbridge';

import { type Events, eventSource, type PublishedEvent, Unpublished } from '../events.ts';
import type { Chance, Clock } from '../platform.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

type Needs = {
  readonly site?: Site;
  /** Name or ARN. */
  readonly bus: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly chance: Chance;
};

/** What PutEvents takes: entries of a call, and their bytes together. */
const maxEntries = 10;
const maxBytes = 256 * 1024;
/** What an entry counts besides its type and its detail: its time, 14, and its source. */
const extraBytes = 64;

/** How often the entries of one call are sent, and the pause before the next time, ms, which doubles. */
const tries = 4;
const pause = 100;

type Call = { readonly from: number; readonly events: readonly PublishedEvent[] };

const bytesOf = ({ type, detail }: PublishedEvent): number =>
  Buffer.byteLength(JSON.stringify(detail)) + Buffer.byteLength(type) + extraBytes;

/**
 * The calls that take them. No two of one key go into one call: the service goes on after an entry that fails, so the
 * second could be there before the first.
 */
const callsOf = (events: readonly PublishedEvent[]): Call[] => {
  const calls: { from: number; events: PublishedEvent[]; keys: Set<string>; bytes: number }[] = [];
  for (const [at, event] of events.entries()) {
    const bytes = bytesOf(event);
    const last = calls.at(-1);
    const fits = last && last.events.length < maxEntries && last.bytes + bytes <= maxBytes && !last.keys.has(event.key);
    if (!fits) calls.push({ from: at, events: [event], keys: new Set([event.key]), bytes });
    else {
      last.events.push(event);
      last.keys.add(event.key);
      last.bytes += bytes;
    }
  }
  return calls;
};

const isRefused = (result: PutEventsResultEntry | undefined): boolean => result?.EventId === undefined;

/** Those that the service refuses (it was busy, mostly) are sent again, alone, before anything that follows. */
export const createAwsEvents = ({ site = {}, bus, clock, chance }: Needs): Events => {
  const client = new EventBridgeClient(settingsOf(site));
  const toEntry = ({ type, time, detail }: PublishedEvent) => ({
    EventBusName: bus,
    Source: eventSource,
    DetailType: type,
    Time: new Date(time),
    Detail: JSON.stringify(detail),
  });

  /** Where in the call those are that were refused, with the name of the first refusal. */
  const put = async ({ from, events }: Call, places: readonly number[]) => {
    const command = new PutEventsCommand({ Entries: places.map((at) => toEntry(events[at]!)) });
    const { Entries = [] } = await client.send(command).catch((error: Error) => {
      throw new Unpublished(
        from + places[0]!,
        `Events could not be published to ${bus} (${error.name}).`,
        withoutWords(error),
      );
    });
    const left = places.filter((_at, index) => isRefused(Entries[index]));
    return { left, code: Entries.find(isRefused)?.ErrorCode };
  };

  const send = async (call: Call): Promise<void> => {
    let places = call.events.map((_event, at) => at);
    for (let attempt = 1; ; attempt += 1) {
      const { left, code } = await put(call, places);
      if (left.length === 0) return;
      if (attempt === tries) {
        throw new Unpublished(call.from + left[0]!, `The event bus ${bus} refused events (${code}).`);
      }
      await clock.sleep(pause * 2 ** attempt * chance.number());
      places = left;
    }
  };

  return {
    publish: async (events) => {
      for (const call of callsOf(events)) await send(call);
    },
  };
};
