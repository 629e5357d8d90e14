/** What others get to see of a run: the history as the platform tells it, and the events that the live display follows. */
import type { Execution, HistoryEvent } from '../../layers/platform/workflows.ts';
import type { Run, RunEvent, Step } from './run.ts';

/** Something that has happened, told after it was journaled. `at` is milliseconds since the epoch. */
export type StateEvent = {
  readonly workflow: string;
  readonly name: string;
  readonly at: number;
  readonly is: 'started' | 'entered' | 'exited' | 'failed' | 'retried' | 'ended';
  readonly state?: string;
  readonly error?: string;
  readonly cause?: string;
  /** Until the next attempt, with `retried`. */
  readonly seconds?: number;
  /** With `ended`. */
  readonly status?: Run['status'];
};

/** Milliseconds since the epoch as ISO 8601 in UTC. */
const isoTime = (ms: number): string => new Date(ms).toISOString();

/** A line of the journal as the platform tells it. */
export const toHistory = ({ id, at, type, state }: RunEvent): HistoryEvent => ({
  id,
  at: isoTime(at),
  type,
  ...(state !== undefined && { state }),
});

/** A run as the platform describes it; an error or cause that was not given is left out. */
export const toExecution = (run: Run): Execution => ({
  workflow: run.workflow,
  name: run.name,
  status: run.status,
  started_at: isoTime(run.started_at),
  ...(run.stopped_at !== undefined && { stopped_at: isoTime(run.stopped_at) }),
  ...(run.error && { error: run.error }),
  ...(run.cause && { cause: run.cause }),
});

const kinds: readonly (readonly [RegExp, StateEvent['is']])[] = [
  [/^ExecutionStarted$/, 'started'],
  [/^Execution/, 'ended'],
  [/StateEntered$/, 'entered'],
  [/StateExited$/, 'exited'],
  [/(Failed|TimedOut)$/, 'failed'],
];

/** The live events of one piece of work. Retries come last: they are what the failures before them led to. */
export const toStateEvents = (run: Run, { now, events, retried }: Step): StateEvent[] => {
  const { workflow, name, status } = run;
  const told = events.flatMap(({ id: _id, type, at, ...rest }): StateEvent[] => {
    const is = kinds.find(([pattern]) => pattern.test(type))?.[1];
    return is ? [{ workflow, name, at, is, ...rest, ...(is === 'ended' && { status }) }] : [];
  });
  return [...told, ...retried.map((retry): StateEvent => ({ workflow, name, at: now, is: 'retried', ...retry }))];
};
