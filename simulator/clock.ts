/**
 * The machines' time. Whatever waits in the simulator waits in one heap over one timer, so a thousand machines cost
 * no more than one; tests put a source of their own under it and decide how time passes.
 */

/** What a clock stands on: the time, and one wake-up call that replaces the one before. */
export type Source = { now(): number; wake(ms: number, run: () => void): void; cancel(): void };

/** `rung` settles when the time has come, or at once when `ring` is called. */
export type Alarm = { readonly rung: Promise<void>; ring(): void };

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  alarm(ms: number): Alarm;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Forgets whoever waits. */
  stop(): void;
};

type Entry = { at: number; ring: (() => void) | undefined };

const push = (heap: Entry[], entry: Entry): void => {
  let child = heap.push(entry) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (heap[parent]!.at <= entry.at) break;
    heap[child] = heap[parent]!;
    child = parent;
  }
  heap[child] = entry;
};

const pop = (heap: Entry[]): Entry => {
  const first = heap[0]!;
  const last = heap.pop()!;
  let parent = 0;
  while (heap.length > 0) {
    let child = 2 * parent + 1;
    if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child += 1;
    if (child >= heap.length || heap[child]!.at >= last.at) break;
    heap[parent] = heap[child]!;
    parent = child;
  }
  if (heap.length > 0) heap[parent] = last;
  return first;
};

/** The computer's own time. */
const systemSource = (): Source => {
  let timer: NodeJS.Timeout | undefined;
  return {
    now: () => Date.now(),
    cancel: () => clearTimeout(timer),
    wake: (ms, run) => {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    },
  };
};

/** A clock over `source`. Alarms that ring early leave a dead entry behind until its time comes. */
export const createClock = (source: Source = systemSource()): Clock => {
  const heap: Entry[] = [];

  const arm = (): void => {
    if (heap[0]) source.wake(Math.max(0, heap[0].at - source.now()), tick);
  };
  const tick = (): void => {
    while (heap[0] && heap[0].at <= source.now()) pop(heap).ring?.();
    arm();
  };

  const alarm = (ms: number): Alarm => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry: Entry = { at: source.now() + Math.max(0, ms), ring: resolve };
    push(heap, entry);
    if (heap[0] === entry) arm();
    const ring = () => {
      entry.ring = undefined;
      resolve();
    };
    return { rung: promise, ring };
  };

  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    const { rung, ring } = alarm(ms);
    signal?.addEventListener('abort', ring, { once: true });
    await rung;
    signal?.removeEventListener('abort', ring);
    signal?.throwIfAborted();
  };

  const stop = (): void => {
    heap.length = 0;
    source.cancel();
  };

  return { now: () => source.now(), alarm, sleep, stop };
};
