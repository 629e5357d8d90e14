/** The interpreter with virtual time, chosen chance and scripted functions, for tests. */
import { loadDefinition } from '../../../local/states/definition.ts';
import type { Json } from '../../../local/states/expression.ts';
import type { StateEvent } from '../../../local/states/history.ts';
import { openJournal, type Journal } from '../../../local/states/journal.ts';
import { createStates, type States } from '../../../local/states/states.ts';
import type { Execution } from '../../../layers/platform/workflows.ts';
import { createVirtualTimers, type VirtualTimers } from './virtual-timers.ts';

export type Script = { readonly [name: string]: (payload: Json, call: number) => unknown };

export type World = {
  readonly states: States;
  readonly timers: VirtualTimers;
  readonly calls: { readonly name: string; readonly payload: Json }[];
  readonly events: StateEvent[];
  /** Starts an execution and lets time pass until it has ended or waits for somebody else. */
  run(workflow: string, input?: object, name?: string): Promise<Outcome>;
  /** Lets time pass until nothing more happens by itself. */
  settle(): Promise<void>;
  outcome(workflow: string, name: string): Promise<Outcome>;
  /** From now on nothing is written, called or heard: what is in the journal is what a killed process leaves. */
  kill(): void;
};

export type Outcome = Execution & {
  readonly output: unknown;
  readonly types: string[];
  readonly entered: string[];
  readonly seconds: number;
};

type Options = {
  readonly machines: { readonly [workflow: string]: object };
  readonly script?: Script;
  readonly journal?: string;
  readonly timers?: VirtualTimers;
  /** What `$random()` and jitter get. */
  readonly fraction?: number;
};

/** A machine from its states alone: JSONata, and the first state is where it starts. */
export const machineOf = (states: object, more: object = {}): object => ({
  QueryLanguage: 'JSONata',
  StartAt: Object.keys(states)[0],
  States: states,
  ...more,
});

/** The Task state that calls `name` with its input. */
export const callOf = (name: string, more: object = { End: true }): object => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: name, Payload: '{% $states.input %}' },
  ...more,
});

/** The Task state that waits for its token, which `name` gets as `token`. */
export const waitOf = (name: string, more: object = { End: true }): object => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: { FunctionName: name, Payload: { token: '{% $states.context.Task.Token %}' } },
  ...more,
});

/** What a scripted function answers to never answer. */
export const hangs = Symbol('hangs');

const turns = async (count: number) => {
  for (let left = count; left > 0; left -= 1) await new Promise(setImmediate);
};

const forever = async () => new Promise<never>(() => {});

const invoker = (script: Script, calls: World['calls'], onHang: () => void) => {
  const counts: Record<string, number> = {};
  return async (name: string, payload: object) => {
    calls.push({ name, payload: payload as Json });
    counts[name] = (counts[name] ?? 0) + 1;
    const answer = script[name];
    if (!answer) throw Object.assign(new Error(`no function ${name}`), { name: 'ResourceNotFoundException' });
    const value = await answer(payload as Json, counts[name]);
    if (value !== hangs) return value;
    onHang();
    return forever();
  };
};

export const createWorld = async (options: Options): Promise<World> => {
  const { machines, script = {}, journal = ':memory:', timers = createVirtualTimers(), fraction = 0.5 } = options;
  const definitions = await Promise.all(
    Object.entries(machines).map(async ([name, machine]) => loadDefinition(name, name, JSON.stringify(machine))),
  );
  const calls: World['calls'] = [];
  const events: StateEvent[] = [];
  const began = timers.now();
  let count = 0;
  const next = (kind: string) => `${kind}-${(count += 1)}`;
  const life = { over: false };
  const opened = openJournal(journal);
  const mortal: Journal = {
    ...opened,
    commit: async (...given) => {
      if (life.over) return forever();
      await opened.commit(...given);
      if (life.over) return forever();
    },
  };
  const invoke = invoker(script, calls, () => hung.resolve());
  const hung = Promise.withResolvers<void>();
  const states = createStates({
    journal: mortal,
    definitions,
    timers,
    functions: { invoke: async (...given) => (life.over ? forever() : invoke(...given)) },
    chance: { number: () => fraction, uuid: () => next('uuid'), token: () => next('token') },
    onEvent: (event) => events.push(event),
  });

  // A call that hangs is never idle: then a number of turns of the event loop must do.
  const settle = async () => {
    do await Promise.race([states.idle(), hung.promise.then(async () => turns(20))]);
    while (timers.skip());
  };
  const outcome = async (workflow: string, name: string): Promise<Outcome> => {
    const execution = (await states.describe(workflow, name))!;
    const history = await states.history(workflow, name);
    return {
      ...execution,
      output: await states.output(workflow, name),
      types: history.map(({ type }) => type),
      entered: history.filter(({ type }) => type.endsWith('StateEntered')).map(({ state }) => state!),
      seconds: ((execution.stopped_at ? Date.parse(execution.stopped_at) : timers.now()) - began) / 1000,
    };
  };
  return {
    states,
    timers,
    calls,
    events,
    settle,
    outcome,
    kill: () => {
      life.over = true;
    },
    run: async (workflow, input = {}, name = 'one') => {
      await states.start(workflow, name, input);
      await settle();
      return outcome(workflow, name);
    },
  };
};
