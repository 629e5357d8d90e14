/**
 * Events on one machine: who follows the table, the bus on which its function publishes, and who takes what is on it.
 * What waits is in the table's file, so that a death at any moment loses nothing; at worst something is told again.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';

import type { SubscriptionRow } from '../../infra/manifest.ts';
import type { Events } from '../../layers/platform/events.ts';
import type { Clock, Ids, Log } from '../../layers/platform/platform.ts';
import type { FunctionHost } from '../functions/host.ts';
import { serve } from '../rpc.ts';
import type { Feed } from '../table/feed.ts';
import { type Consumer, createFunctionConsumer, createSinkConsumer, type Sink, toEventBridge } from './consumer.ts';
import { follow } from './follower.ts';
import { createPauses } from './pauses.ts';
import { createPump } from './pump.ts';

export type EventsOptions = {
  readonly feed: Feed;
  readonly functions: Pick<FunctionHost, 'invokeText'>;
  readonly subscriptions: readonly SubscriptionRow[];
  readonly sink?: Sink | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly log: Log;
};

export type EventsRunner = {
  /** A port to the bus (transfer it), to be used as `connect<Events>(port)`. */
  port(): MessagePort;
  /** Begins to follow the table and to hand events over. */
  start(): Promise<void>;
  /** Something changed. */
  kick(): void;
  /** Begins nothing any more, and gives what runs `graceMs`; it happens again at the next start. */
  stop(graceMs: number): Promise<void>;
};

/** A function of ours is back soon; a receiver elsewhere may be away for long. ms. */
const soon = { first: 200, most: 30_000 };
const patient = { first: 1000, most: 300_000 };

/** Changes come in bursts; handing them over one by one would cost more than making them. ms */
const gather = 50;

/** Follows nothing before it is started; what is published before that waits. */
export const createEvents = (options: EventsOptions): EventsRunner => {
  const { feed, functions, subscriptions, sink, clock, ids, log } = options;
  const consumers: Consumer[] = [
    ...(sink ? [createSinkConsumer({ feed, clock, log, pauses: createPauses(clock, patient) }, sink)] : []),
    ...subscriptions.map(({ function: name, types }) =>
      createFunctionConsumer({ feed, functions, clock, log, pauses: createPauses(clock, soon) }, name, types),
    ),
  ];
  const onError = (error: unknown) => log.error('Events could not be handed over; it goes on soon.', { error });
  const follower = createPump(follow({ feed, functions, log, pauses: createPauses(clock, soon) }), onError, { gather });
  const pumps = consumers.map((consumer) => createPump(consumer.take, onError));

  const bus: Events = {
    publish: async (events) => {
      const deliveries = events.flatMap((event) => {
        const { id, type, key } = event;
        const takers = consumers.filter(({ wants }) => wants(type));
        const body = takers.length > 0 ? JSON.stringify(toEventBridge(event, ids)) : '';
        return takers.map(({ name }) => ({ consumer: name, event: id, key, body }));
      });
      if (deliveries.length === 0) return;
      await feed.hand(deliveries);
      for (const pump of pumps) pump.kick();
    },
  };

  return {
    port: () => {
      const { port1, port2 } = new MessageChannel();
      serve(port1, bus);
      return port2;
    },
    start: async () => {
      await feed.keepOnly(consumers.map(({ name }) => name));
      for (const pump of [follower, ...pumps]) pump.kick();
    },
    kick: follower.kick,
    stop: async (graceMs) => {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([late, Promise.all([follower, ...pumps].map(async (pump) => pump.stop()))]);
      clearTimeout(timer);
    },
  };
};
