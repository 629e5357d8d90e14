/** What all machines share: time, faults, the network they fetch from, and whom they tell that they changed. */
import type { Alarm, Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Fetch } from './fetch.ts';
import { draw, type Machine } from './machine.ts';
import type { RequestLog } from './log.ts';
import type { Nonces } from './nonces.ts';

/** One powered-on time of a machine: everything under way ends when its power is cut. */
export type Life = {
  readonly controller: AbortController;
  /** The nap between two heartbeats, to be ended early when there is something to tell. */
  nap?: Alarm;
  /** How often a heartbeat was asked for out of turn. */
  rings: number;
};

export type World = {
  readonly clock: Clock;
  readonly nonces: Nonces;
  /** Model seconds to real seconds. */
  readonly scale: number;
  readonly fetch: Fetch;
  readonly faults: Faults;
  readonly log: RequestLog;
  /** Where the BMCs are: `https://127.0.0.1:<port>`. Known once the server listens. */
  base: string;
  /** PEM of the certificate that BMCs and agents show. */
  readonly certificate: string;
  readonly lives: Map<Machine, Life>;
  /** What happens once a machine has power (`boot.ts`). */
  boot(machine: Machine, life: Life): void;
  /** To be called after every change of a machine's record. */
  changed(machine: Machine): void;
  /** Run downloads, or calls to the API, a few at a time: a thousand must not need more memory than a few. */
  download<T>(run: () => Promise<T>): Promise<T>;
  call<T>(run: () => Promise<T>): Promise<T>;
};

/** Seconds from..to of the machines' time. */
export type Span = readonly [from: number, to: number];

/** Milliseconds of real time for a span, drawn from the machine's generator. */
export const spanOf = (world: World, machine: Machine, [from, to]: Span): number =>
  (from + draw(machine) * (to - from)) * 1000 * world.scale;

/** A span before the network is tried again; never so short that a small scale becomes a storm. */
export const retrySpan = (world: World, machine: Machine, span: Span): number =>
  Math.max(50, spanOf(world, machine, span));

/** Lets the agent's next heartbeat come now. */
export const ringAgent = (world: World, machine: Machine): void => {
  const life = world.lives.get(machine);
  if (!life) return;
  life.rings += 1;
  life.nap?.ring();
};

/**
 * Runs something that must end: `run` gets a signal that is aborted with `outer` or after `ms` of the clock, which no
 * scale shortens.
 */
export const within = async <T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const end = () => controller.abort(outer?.reason);
  const { rung, ring } = clock.alarm(ms);
  let over = false;
  const watch = async () => {
    await rung;
    if (!over) end();
  };
  void watch();
  outer?.addEventListener('abort', end);
  try {
    return await run(controller.signal);
  } finally {
    over = true;
    ring();
    outer?.removeEventListener('abort', end);
  }
};

/** At most `limit` runs at once; the others wait in order. */
export const createGate = (limit: number) => {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
};
