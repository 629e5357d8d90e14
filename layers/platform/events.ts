/** Publishing events to whoever subscribed (AWS: an event bus of EventBridge; one machine: local/events). */
import { Fault } from '../domain/fault.ts';

/**
 * `id`: the same when it is published again; `key`: what it is about, the events of one are published in their order;
 * `time`: ISO 8601.
 */
export type PublishedEvent = {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly time: string;
  readonly detail: object;
};

export type Events = {
  /** Publishes each at least once, those of one key in this order. Throws Unpublished. */
  publish(events: readonly PublishedEvent[]): Promise<void>;
};

/** What subscribers know the events of Ingot by. */
export const eventSource = 'ingot';

/** `published` of them, counted from the first, are; of the others some may be. */
export class Unpublished extends Fault {
  readonly published: number;

  constructor(published: number, message: string, cause?: unknown) {
    super('Unpublished', 503, message, { cause });
    this.published = published;
  }
}
