/** Starts the states thread and reaches it from other threads. */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';

import { Fault } from '../../layers/domain/fault.ts';
import type { Functions } from '../../layers/platform/platform.ts';
import { connect, serve } from '../rpc.ts';
import type { StateEvent } from './history.ts';
import type { States } from './states.ts';
import type { FromThread, ThreadData, ToThread } from './thread.ts';

export type StatesThreadOptions = Pick<ThreadData, 'journal' | 'definitions' | 'substitutions'> & {
  /** Called for each Task state; it must be ready when this is called, because what was in flight is called again. */
  readonly functions: Functions;
  readonly onEvent?: (event: StateEvent) => void;
  /** The thread ended by itself (the disk refused the journal): the process cannot go on. */
  readonly onExit: (error: Error) => void;
};

export type StatesThread = {
  readonly states: States;
  /** A port to transfer to another thread, which makes a `Workflows` of it with `connect`. */
  attach(): MessagePort;
  /** Ends what is being written, closes the journal and ends the thread. */
  stop(): Promise<void>;
};

const firstMessage = async (worker: Worker): Promise<FromThread> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });

/**
 * Resolves when the definitions are loaded and running executions continue. Throws InvalidDefinition for an ASL text
 * that cannot be used and DamagedState for such a journal.
 */
export const startStates = async (options: StatesThreadOptions): Promise<StatesThread> => {
  const { functions, onEvent, onExit, ...rest } = options;
  const [calls, events] = [new MessageChannel(), new MessageChannel()];
  serve(calls.port1, functions);
  events.port1.on('message', (event: StateEvent) => onEvent?.(event));
  const workerData: ThreadData = { ...rest, functions: calls.port2, events: events.port2 };
  const worker = new Worker(new URL('../thread.js', import.meta.url), {
    argv: [new URL('./thread.ts', import.meta.url).href],
    name: 'states',
    workerData,
    transferList: [calls.port2, events.port2],
    // As much as the functions at work have (functions/host.ts).
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  const first = await firstMessage(worker);
  if ('failed' in first) {
    await worker.terminate();
    throw new Fault(first.failed.name, 500, first.failed.message);
  }
  let stopping = false;
  let error = new Error('The states thread ended by itself.');
  worker.on('error', (thrown) => {
    error = thrown as Error;
  });
  worker.on('exit', () => {
    if (!stopping) onExit(error);
  });

  const attach = () => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ attach: port1 } satisfies ToThread, [port1]);
    return port2;
  };
  const own = attach();
  const states = connect<States>(own);
  return {
    states,
    attach,
    stop: async () => {
      stopping = true;
      await states.close();
      await worker.terminate();
      for (const port of [own, calls.port1, events.port1]) port.close();
    },
  };
};
