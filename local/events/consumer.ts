/**
 * Who takes events on one machine, from those that wait in the table's file: a sink, which takes them all in batches, or
 * a function, which takes its types one at a time. Whoever fails gets the same again, for a week.
 */
import { eventSource, type PublishedEvent } from '../../layers/platform/events.ts';
import type { Clock, Ids, Log } from '../../layers/platform/platform.ts';
import type { FunctionHost } from '../functions/host.ts';
import type { Delivery, Feed } from '../table/feed.ts';
import type { Pauses } from './pauses.ts';

export type Consumer = {
  readonly name: string;
  wants(type: string): boolean;
  /** Takes a part of what waits; the work of a pump (pump.ts). */
  take(): Promise<number | undefined>;
};

export type ConsumerNeeds = {
  readonly feed: Feed;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly pauses: Pauses;
};

/** An event as EventBridge hands it over. Account and region are those of AWS, and empty here. */
export const toEventBridge = ({ type, time, detail }: PublishedEvent, ids: Pick<Ids, 'uuid'>): object => ({
  version: '0',
  id: ids.uuid(),
  'detail-type': type,
  source: eventSource,
  account: '',
  time,
  region: '',
  resources: [],
  detail,
});

const batchSize = 100;

/** EventBridge gives up after a day and has queues for what is left; here a weekend should pass. ms. */
const patience = 7 * 24 * 3_600_000;

/** Those that have waited too long are taken as they are, which the log tells. */
const giveUp = async (
  { feed, clock, log }: ConsumerNeeds,
  name: string,
  failed: readonly Delivery[],
): Promise<void> => {
  const old = failed.filter(({ at }) => clock.now() - at > patience);
  if (old.length === 0) return;
  const about = [...new Set(old.map(({ key }) => key))];
  log.error('Events were given up: nobody took them for a week.', { consumer: name, events: old.length, about });
  await feed.taken(old.map(({ id }) => id));
};

/** Where everything goes that is published. `label` is how logs call it. */
export type Sink = { readonly label: string; send(events: readonly string[]): Promise<void> };

const sinkName = 'sink';

/** The sink takes all events, JSON texts, in the order in which they were published. */
export const createSinkConsumer = (needs: ConsumerNeeds, { label, send }: Sink): Consumer => {
  const { feed, log, pauses } = needs;
  const take = async (): Promise<number | undefined> => {
    const left = pauses.left();
    if (left !== undefined) return left;
    const waiting = await feed.waiting(sinkName, batchSize);
    if (waiting.length === 0) return undefined;
    try {
      await send(waiting.map(({ body }) => body));
    } catch (error) {
      pauses.failed(sinkName);
      log.warn('The sink did not take events; it gets them again.', { sink: label, events: waiting.length, error });
      await giveUp(needs, sinkName, waiting);
      return pauses.left() ?? 0;
    }
    pauses.worked(sinkName);
    await feed.taken(waiting.map(({ id }) => id));
    return 0;
  };
  return { name: sinkName, wants: () => true, take };
};

const lanesOf = (waiting: readonly Delivery[]): Map<string, Delivery[]> => Map.groupBy(waiting, ({ key }) => key);

/**
 * A function takes events of its types, those about one thing in their order and one after the other; what fails holds
 * up nothing that is about something else.
 */
export const createFunctionConsumer = (
  needs: ConsumerNeeds & { readonly functions: Pick<FunctionHost, 'invokeText'> },
  name: string,
  types: readonly string[],
): Consumer => {
  const { feed, functions, log, pauses } = needs;
  const takeLane = async (key: string, lane: readonly Delivery[]): Promise<void> => {
    for (const delivery of lane) {
      try {
        await functions.invokeText(name, delivery.body);
      } catch (error) {
        pauses.failed(key);
        log.warn('A function did not take an event; it gets it again.', { function: name, about: key, error });
        return giveUp(needs, name, [delivery]);
      }
      pauses.worked(key);
      await feed.taken([delivery.id]);
    }
  };
  const take = async (): Promise<number | undefined> => {
    const paused = pauses.paused();
    const waiting = await feed.waiting(name, batchSize, paused);
    // A pause may have ended since; what it was for waits all the same.
    if (waiting.length === 0) return paused.length > 0 ? (pauses.left() ?? 0) : undefined;
    await Promise.all([...lanesOf(waiting)].map(async ([key, lane]) => takeLane(key, lane)));
    return 0;
  };
  return { name, wants: (type) => types.includes(type), take };
};
