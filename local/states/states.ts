/** The `Workflows` of the platform on the durable interpreter. */
import { randomBytes, randomUUID } from 'node:crypto';

import { Fault, Invalid, NotFound, TooLarge } from '../../layers/domain/fault.ts';
import type { Functions } from '../../layers/platform/platform.ts';
import type { Delivery, Start, Workflows } from '../../layers/platform/workflows.ts';
import { reloadDefinition, type Definition } from './definition.ts';
import { close, follow, idle, ownerOf, post, toJson, type Engine, type Live } from './engine.ts';
import type { Chance, Json } from './expression.ts';
import { toExecution, toHistory, type StateEvent } from './history.ts';
import type { Journal, StoredRun } from './journal.ts';
import { createRun } from './machine.ts';
import { quotas } from './run.ts';
import type { Stimulus } from './stimulus.ts';
import { realTimers, type Timers } from './timers.ts';

export type StatesOptions = {
  readonly journal: Journal;
  readonly definitions: readonly Definition[];
  /** Calls a function; what it throws becomes the ASL error of its name. */
  readonly functions: Functions;
  readonly timers?: Timers;
  readonly chance?: Chance;
  /** Told after the event was journaled. */
  readonly onEvent?: (event: StateEvent) => void;
};

export type States = Workflows & {
  /** The output of an execution that succeeded; undefined for every other. */
  output(workflow: string, name: string): Promise<unknown>;
  /** Forgets executions that ended more than so many days ago, and their names. Returns how many (AWS keeps 90 days). */
  prune(days: number): Promise<number>;
  /** Resolves when no call is under way and nothing is left to do before the next timer or callback. */
  idle(): Promise<void>;
  /** Stops working and closes the journal. What is not journaled yet happens again when it is opened again. */
  close(): Promise<void>;
};

const randomChance: Chance = {
  number: Math.random,
  uuid: randomUUID,
  token: () => randomBytes(32).toString('base64url'),
};

/** What StartExecution accepts as a name. */
const namePattern = /^[\w.+!@()='-]{1,80}$/;

const checkSize = (value: Json, what: string): Json => {
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size <= quotas.payload) return value;
  throw TooLarge(`${what} has ${size} bytes of JSON; at most ${quotas.payload} are allowed.`);
};

const toLive = (id: number, definition: Definition, run: Live['run']): Live => ({
  id,
  run,
  definition,
  calls: new Set(),
  queue: [],
  busy: false,
});

/** Takes up what the journal says is running. */
const resume = (engine: Engine, definitions: readonly Definition[]): void => {
  const known = new Map(definitions.map((each) => [each.hash, each]));
  for (const definition of definitions) engine.journal.keepDefinition(definition);
  const definitionOf = ({ definition: hash, run }: StoredRun): Definition => {
    const stored = engine.journal.definition(hash);
    const definition = known.get(hash) ?? (stored && reloadDefinition(stored.workflow, hash, stored.text));
    if (!definition) throw new Fault('DamagedState', 500, `The journal lacks the definition of ${run.name}.`);
    known.set(hash, definition);
    return definition;
  };
  for (const stored of engine.journal.running()) {
    engine.lives.set(stored.id, toLive(stored.id, definitionOf(stored), stored.run));
  }
  for (const live of engine.lives.values()) follow(engine, live);
};

/** Starts executions, each name once: also while the first start is on its way to the disk, never after it ended. */
const createStart = (engine: Engine, definitions: readonly Definition[]): Workflows['start'] => {
  const current = new Map(definitions.map((each) => [each.workflow, each]));
  const starting = new Map<string, Promise<Start>>();
  let lastId = engine.journal.lastId();

  const begin = async (definition: Definition, name: string, input: Json): Promise<Start> => {
    lastId += 1;
    const run = createRun(definition.machine, definition.workflow, name, input, engine.timers.now());
    const live = toLive(lastId, definition, run);
    engine.lives.set(live.id, live);
    await post(engine, live, { is: 'begin' });
    return 'running';
  };

  return async (workflow, name, input) => {
    const definition = current.get(workflow);
    if (!definition) throw NotFound(`There is no workflow "${workflow}".`);
    if (!namePattern.test(name)) throw Invalid(`"${name}" cannot be the name of an execution.`);
    const given = checkSize(toJson(input), 'The input of an execution');
    const key = `${workflow}:${name}`;
    const begun = starting.get(key);
    if (begun) return begun;
    const known = engine.journal.find(workflow, name);
    if (known) return known.run.status === 'RUNNING' ? 'running' : 'ended';
    const beginning = begin(definition, name, given).finally(() => starting.delete(key));
    starting.set(key, beginning);
    return beginning;
  };
};

const createDeliver =
  (engine: Engine) =>
  async (stimulus: Stimulus & { readonly token: string }): Promise<Delivery> => {
    const live = ownerOf(engine, stimulus.token);
    return live && (await post(engine, live, stimulus)) ? 'delivered' : 'gone';
  };

/**
 * Opens the interpreter on a journal and continues what was running. Throws InvalidDefinition or DamagedState when the
 * journal holds executions that this version cannot continue. `start` throws NotFound (404) for an unknown workflow,
 * Invalid (400) for a name and TooLarge (413) for an input that Step Functions would refuse; `succeed` TooLarge.
 * Any call throws Unavailable (503) once closed, and JournalFailed (503) if the disk refuses.
 */
export const createStates = (options: StatesOptions): States => {
  const { journal, definitions, functions, timers = realTimers, chance = randomChance, onEvent } = options;
  const common = { lives: new Map(), works: new Set<Promise<void>>(), calls: new Set<Promise<void>>(), closed: false };
  const engine: Engine = { journal, functions, timers, chance, onEvent, ...common };
  const deliver = createDeliver(engine);
  resume(engine, definitions);

  return {
    start: createStart(engine, definitions),
    succeed: async (token, output) =>
      deliver({ is: 'succeeded', token, output: checkSize(toJson(output), 'The output of a task') }),
    fail: async (token, error, cause) => deliver({ is: 'failed', token, failure: { error, cause } }),
    heartbeat: async (token) => deliver({ is: 'heartbeat', token }),
    stop: async (workflow, name, error, cause) => {
      const live = engine.lives.get(journal.find(workflow, name)?.id ?? 0);
      if (live) await post(engine, live, { is: 'stop', failure: { error, cause } });
    },
    describe: async (workflow, name) => {
      const stored = journal.find(workflow, name);
      return stored && toExecution(stored.run);
    },
    history: async (workflow, name) => {
      const stored = journal.find(workflow, name);
      return stored ? journal.events(stored.id).map(toHistory) : [];
    },
    output: async (workflow, name) => journal.find(workflow, name)?.run.output,
    prune: async (days) => journal.prune(timers.now() - days * 24 * 3_600_000),
    idle: async () => idle(engine),
    close: async () => close(engine),
  };
};
