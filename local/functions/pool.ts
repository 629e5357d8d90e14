/**
 * The worker threads of one function. Several invocations share a worker; each has its own time limit. A worker in
 * which an invocation ran out of time cannot be trusted any more: it takes no new work, and ends when its other
 * invocations are done or at their limits. A worker that dies fails its invocations and is replaced.
 */
import { randomUUID } from 'node:crypto';
import type { Worker } from 'node:worker_threads';

import { Fault, Unavailable } from '../../layers/domain/fault.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import type { Failure, InvocationMessage, WorkerMessage } from './message.ts';

export type PoolOptions = {
  readonly name: string;
  /** Seconds. */
  readonly timeout: number;
  /** Workers of this function at most; a new one starts when each of the others has work. */
  readonly size: number;
  spawn(): Worker;
  /** Told of what went wrong in a worker, for the log. */
  onTrouble(message: string, fields: Record<string, unknown>): void;
};

export type Pool = {
  /** JSON text in, the result out. Throws a Fault named as the function's error. */
  invoke(payload: string): Promise<unknown>;
  /** Starts one worker and waits until it could load the function. Throws a Fault that says why it could not. */
  warm(): Promise<void>;
  /** Takes no new work, gives what runs `graceMs`, then ends the workers. */
  stop(graceMs: number): Promise<void>;
};

type Pending = { resolve(result: unknown): void; reject(fault: Fault): void; timer?: NodeJS.Timeout };
type Slot = {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
  readonly ready: PromiseWithResolvers<void>;
  loaded: boolean;
  retiring: boolean;
};

const resultOf = ({ result, body }: { readonly result: string; readonly body?: string }): unknown => {
  const value: unknown = JSON.parse(result);
  return body === undefined ? value : { ...(value as object), body };
};

const failed = ({ errorType, errorMessage }: Failure) => new Fault(errorType, 500, errorMessage);

/** Makes the pool without a worker: the first invocation or `warm` starts one. */
export const createPool = ({ name, timeout, size, spawn, onTrouble }: PoolOptions): Pool => {
  const slots = new Set<Slot>();
  let lastId = 0;
  let stopping = false;
  let drained: (() => void) | undefined;

  const retireIfIdle = (slot: Slot) => {
    if (slot.retiring && slot.pending.size === 0) void slot.worker.terminate();
    if (stopping && [...slots].every(({ pending }) => pending.size === 0)) drained?.();
  };

  /** Takes the invocation out of the slot; undefined when its time was up already. */
  const settle = (slot: Slot, id: number): Pending | undefined => {
    const pending = slot.pending.get(id);
    clearTimeout(pending?.timer);
    slot.pending.delete(id);
    return pending;
  };

  const receive = (slot: Slot, message: WorkerMessage) => {
    if ('ready' in message) {
      slot.loaded = true;
      return slot.ready.resolve();
    }
    const pending = settle(slot, message.id);
    if ('result' in message) pending?.resolve(resultOf(message));
    else pending?.reject(failed(message.failure));
    retireIfIdle(slot);
  };

  const bury = (slot: Slot, reason: string) => {
    slots.delete(slot);
    const what = slot.loaded ? 'ended in the middle of its work' : 'cannot start';
    const fault = new Fault('Runtime.ExitError', 500, `Function ${name} ${what}: ${reason}`);
    slot.ready.reject(fault);
    for (const id of slot.pending.keys()) settle(slot, id)?.reject(fault);
    retireIfIdle(slot);
  };

  const start = (): Slot => {
    const slot: Slot = {
      worker: spawn(),
      pending: new Map(),
      ready: Promise.withResolvers(),
      loaded: false,
      retiring: false,
    };
    let reason = 'its worker thread stopped.';
    slots.add(slot);
    // Whoever waits for `ready` hears of a failure; without a listener it must not bring the process down.
    slot.ready.promise.catch(() => undefined);
    slot.worker.on('message', (message: WorkerMessage) => receive(slot, message));
    slot.worker.on('error', (error: Error) => {
      reason = error.message;
      onTrouble('A worker thread failed.', { function: name, error: error.message, stack: error.stack });
    });
    slot.worker.on('exit', () => bury(slot, reason));
    return slot;
  };

  const giveUp = (slot: Slot, id: number) => {
    onTrouble('An invocation ran out of time.', { function: name, timeout_seconds: timeout });
    slot.retiring = true;
    settle(slot, id)?.reject(
      new Fault('Sandbox.Timedout', 504, `Function ${name} did not answer within its limit of ${timeout} seconds.`),
    );
    retireIfIdle(slot);
  };

  /** The least busy worker; a new one while all have work and there may be more. */
  const choose = (): Slot => {
    let best: Slot | undefined;
    let serving = 0;
    for (const slot of slots) {
      if (slot.retiring) continue;
      serving += 1;
      if (!best || slot.pending.size < best.pending.size) best = slot;
    }
    return best && (best.pending.size === 0 || serving >= size) ? best : start();
  };

  /** The limit counts from here: loading the function is not part of it, as on Lambda. */
  const send = (slot: Slot, id: number, pending: Pending, payload: string) => {
    pending.timer = setTimeout(() => giveUp(slot, id), timeout * 1000);
    const deadline = systemClock.now() + timeout * 1000;
    const message: InvocationMessage = { id, request_id: randomUUID(), deadline, payload };
    slot.worker.postMessage(message, []);
  };

  return {
    invoke: async (payload) => {
      if (stopping) throw Unavailable('Ingot is stopping.');
      return new Promise((resolve, reject) => {
        const slot = choose();
        lastId += 1;
        const [id, pending]: [number, Pending] = [lastId, { resolve, reject }];
        slot.pending.set(id, pending);
        if (slot.loaded) send(slot, id, pending, payload);
        else slot.ready.promise.then(() => send(slot, id, pending, payload), reject);
      });
    },
    warm: async () => {
      const [slot] = slots;
      await (slot ?? start()).ready.promise;
    },
    stop: async (graceMs) => {
      stopping = true;
      const idle = new Promise<void>((resolve) => {
        drained = resolve;
      });
      const timer = setTimeout(() => drained?.(), graceMs);
      for (const slot of slots) retireIfIdle(slot);
      if (slots.size > 0) await idle;
      clearTimeout(timer);
      await Promise.all([...slots].map(async ({ worker }) => worker.terminate()));
    },
  };
};
