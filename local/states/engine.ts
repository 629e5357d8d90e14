/**
 * Keeps executions going. Each has a queue of stimuli; what they do is journaled first, and only then do calls, timers
 * and answers follow from what the run rests in. Following is the same after a crash as after a commit, so recovery is
 * no special case: a call in flight is made again.
 */
import { Unavailable } from '../../layers/domain/fault.ts';
import type { Functions } from '../../layers/platform/platform.ts';
import type { Definition } from './definition.ts';
import type { Chance, Json } from './expression.ts';
import { toStateEvents, type StateEvent } from './history.ts';
import type { Journal } from './journal.ts';
import { nextDue, type Failure, type Run, type Step, type TaskDoing } from './run.ts';
import { apply, type Stimulus } from './stimulus.ts';
import type { Timers } from './timers.ts';

type Post = { readonly stimulus: Stimulus; resolve(met: boolean): void; reject(error: unknown): void };

/** An execution that has not ended. `calls` are the attempts that this process has under way. */
export type Live = {
  readonly id: number;
  readonly run: Run;
  readonly definition: Definition;
  readonly calls: Set<number>;
  readonly queue: Post[];
  busy: boolean;
  timer?: { readonly due: number; cancel(): void };
};

export type Engine = {
  readonly journal: Journal;
  readonly functions: Functions;
  readonly timers: Timers;
  readonly chance: Chance;
  readonly onEvent: ((event: StateEvent) => void) | undefined;
  readonly lives: Map<number, Live>;
  /** Work on an execution that is being done now, and calls that have not returned. */
  readonly works: Set<Promise<void>>;
  readonly calls: Set<Promise<void>>;
  closed: boolean;
};

/** The value as JSON has it; undefined becomes null. */
export const toJson = (value: unknown): Json =>
  value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);

/** As Lambda reports it: the name of what was thrown, and a JSON text that says it again with the message. */
const toFailure = (thrown: unknown): Failure => {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { error: name, cause: JSON.stringify({ errorType: name, errorMessage: message }) };
};

const track = (set: Set<Promise<void>>, promise: Promise<void>): void => {
  set.add(promise);
  // A failure is not swallowed: the promise itself stays unhandled and ends the thread (see `post`).
  void promise.finally(() => set.delete(promise));
};

const invoke = async (engine: Engine, { attempt, call }: TaskDoing): Promise<Stimulus> => {
  try {
    const result = await engine.functions.invoke(call.function, toJson(call.payload) as object);
    return { is: 'returned', attempt, result: toJson(result) };
  } catch (error) {
    return { is: 'threw', attempt, failure: toFailure(error) };
  }
};

const callOnce = async (engine: Engine, live: Live, doing: TaskDoing): Promise<void> => {
  live.calls.add(doing.attempt);
  const stimulus = await invoke(engine, doing);
  live.calls.delete(doing.attempt);
  await nudge(engine, live, stimulus);
};

/** Once the engine closes, answers and timers are let go: the next start calls again and sets the timers anew. */
const nudge = async (engine: Engine, live: Live, stimulus: Stimulus): Promise<void> => {
  try {
    await post(engine, live, stimulus);
  } catch (error) {
    if (!engine.closed) throw error;
  }
};

const setTimer = (engine: Engine, live: Live, due: number) => {
  if (live.timer?.due === due) return;
  live.timer?.cancel();
  delete live.timer;
  if (due === Infinity) return;
  const ring = () => {
    delete live.timer;
    void nudge(engine, live, { is: 'tick' });
  };
  live.timer = { due, cancel: engine.timers.at(due, ring) };
};

/** Makes the world agree with what the run rests in: its timer, and the calls that nobody is making. */
export const follow = (engine: Engine, live: Live): void => {
  const { run } = live;
  const running = run.status === 'RUNNING';
  setTimer(engine, live, running ? nextDue(run) : Infinity);
  if (!running) engine.lives.delete(live.id);
  for (const { doing } of run.branches) {
    const owed = doing.is === 'task' && !doing.submitted && !live.calls.has(doing.attempt);
    if (owed) track(engine.calls, callOnce(engine, live, doing));
  }
};

const createStep = ({ timers, chance }: Engine, { id, run, definition }: Live): Step => ({
  run,
  machine: definition.machine,
  now: timers.now(),
  // The execution's number leads back from the token to the execution; the rest is what nobody can guess.
  chance: { ...chance, token: () => `${id}.${chance.token()}` },
  events: [],
  retried: [],
});

/** The execution that a token belongs to, if it has not ended. */
export const ownerOf = ({ lives }: Engine, token: string): Live | undefined =>
  lives.get(Number(token.split('.', 1)[0]));

const workOnce = async (engine: Engine, live: Live) => {
  const batch = live.queue.splice(0);
  try {
    const step = createStep(engine, live);
    const met: boolean[] = [];
    for (const { stimulus } of batch) met.push(await apply(step, stimulus));
    if (met.includes(true)) {
      await engine.journal.commit({ id: live.id, definition: live.definition.hash, run: live.run }, step.events);
    }
    for (const [index, { resolve }] of batch.entries()) resolve(met[index]!);
    for (const event of toStateEvents(live.run, step)) engine.onEvent?.(event);
  } catch (error) {
    for (const { reject } of batch) reject(error);
    throw error;
  }
};

const work = async (engine: Engine, live: Live): Promise<void> => {
  live.busy = true;
  while (live.queue.length > 0 && !engine.closed) await workOnce(engine, live);
  live.busy = false;
  if (!engine.closed) follow(engine, live);
};

/**
 * Gives an execution a stimulus. Resolves to whether it met its target, once that is durable. Throws Unavailable when
 * the engine is closed. If the journal cannot be written, what is in memory is ahead of the disk: whoever waits gets
 * JournalFailed, and the rejection of the work itself is left unhandled on purpose, so that the thread ends.
 */
export const post = async (engine: Engine, live: Live, stimulus: Stimulus): Promise<boolean> => {
  if (engine.closed) throw Unavailable('Ingot is stopping.');
  const met = new Promise<boolean>((resolve, reject) => {
    live.queue.push({ stimulus, resolve, reject });
  });
  if (!live.busy) track(engine.works, work(engine, live));
  return met;
};

/** Resolves when no call is under way and nothing is left to do before the next timer or callback. */
export const idle = async (engine: Engine): Promise<void> => {
  while (engine.works.size + engine.calls.size > 0) {
    await Promise.all([...engine.works, ...engine.calls]);
  }
};

/** Ends what is being done now, begins nothing new and closes the journal; queued stimuli get Unavailable. */
export const close = async (engine: Engine): Promise<void> => {
  engine.closed = true;
  for (const { timer } of engine.lives.values()) timer?.cancel();
  await Promise.all(engine.works);
  for (const { queue } of engine.lives.values()) {
    for (const { reject } of queue) reject(Unavailable('Ingot is stopping.'));
  }
  engine.journal.close();
};
