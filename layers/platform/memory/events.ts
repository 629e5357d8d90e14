/** Events in memory: a list. */
import { type Events, type PublishedEvent, Unpublished } from '../events.ts';

export type MemoryEvents = Events & {
  /** All that were published, in their order. */
  readonly published: PublishedEvent[];
  /** Asked before each; true: it is refused, and with it what follows. `undefined` turns it off. */
  refuse: ((event: PublishedEvent) => boolean) | undefined;
};

/** What is published passes through JSON, as it does on its way to subscribers. */
export const createMemoryEvents = (): MemoryEvents => {
  const memory: MemoryEvents = {
    published: [],
    refuse: undefined,
    publish: async (events) => {
      for (const [at, event] of events.entries()) {
        if (memory.refuse?.(event)) throw new Unpublished(at, 'An event was refused.');
        memory.published.push(JSON.parse(JSON.stringify(event)) as PublishedEvent);
      }
    },
  };
  return memory;
};
