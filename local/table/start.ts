/** Starts the table thread; used by the main thread of the one-machine runner. */
import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

import { Fault } from '../../layers/domain/fault.ts';
import type { Followed } from './feed.ts';
import type { Hello, Order } from './thread.ts';

export type TableThread = {
  /** A port to the writer for one thread (transfer it), to be used as `connect<Writer>(port)`. */
  port(): MessagePort;
  /** A port to what followers of its changes need, to be used as `connect<Feed>(port)`. */
  feed(): MessagePort;
  /** Who is told that something was logged, instead of who was told before. */
  onChange(listener: () => void): void;
  /** Commits what was asked and ends the thread. */
  stop(): Promise<void>;
  /** Ends when the thread does, with the error if it failed. */
  readonly ended: Promise<unknown>;
};

/** Opens the table file at `path` in a thread of its own; changes of the items `followed` are logged. Throws Damaged (500), Unavailable (503) if that fails. */
export const startTable = async (path: string, followed?: Followed): Promise<TableThread> => {
  const worker = new Worker(new URL('../thread.js', import.meta.url), {
    argv: [new URL('thread.ts', import.meta.url).href],
    name: 'table',
    workerData: { path, ...(followed && { followed }) },
    // As much as the functions at work have (functions/host.ts).
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  const ended = new Promise((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', () => resolve(undefined));
  });
  const [hello] = (await once(worker, 'message')) as [Hello];
  if ('failure' in hello) {
    await worker.terminate();
    throw new Fault(hello.failure.name, hello.failure.code, hello.failure.message);
  }
  let listener = (): void => undefined;
  worker.on('message', (message) => void (message === 'changed' && listener()));
  const order = (message: Order, ports: readonly MessagePort[] = []) => worker.postMessage(message, ports);
  const open = (serve: 'writer' | 'feed') => (): MessagePort => {
    const { port1, port2 } = new MessageChannel();
    order({ serve, port: port1 }, [port1]);
    return port2;
  };
  return {
    port: open('writer'),
    feed: open('feed'),
    onChange: (told) => {
      listener = told;
    },
    stop: async () => {
      order('stop');
      await ended;
    },
    ended,
  };
};
