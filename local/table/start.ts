/** Starts the table thread; used by the main thread of the one-machine runner. */
import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';

import { Fault } from '../../layers/domain/fault.ts';
import type { Hello } from './thread.ts';

export type TableThread = {
  /** A port to the writer for one thread (transfer it), to be used as `connect<Writer>(port)`. */
  port(): MessagePort;
  /** Commits what was asked and ends the thread. */
  stop(): Promise<void>;
  /** Ends when the thread does, with the error if it failed. */
  readonly ended: Promise<unknown>;
};

/** Opens the table file at `path` in a thread of its own. Throws Damaged (500), Unavailable (503) if that fails. */
export const startTable = async (path: string): Promise<TableThread> => {
  const worker = new Worker(new URL('../thread.js', import.meta.url), {
    argv: [new URL('thread.ts', import.meta.url).href],
    name: 'table',
    workerData: { path },
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
  return {
    port: () => {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage(port1, [port1]);
      return port2;
    },
    stop: async () => {
      worker.postMessage('stop', []);
      await ended;
    },
    ended,
  };
};
