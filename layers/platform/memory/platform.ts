/** The whole platform in memory, sharing one clock: what a function is given in tests and in the simulation. */
import type { Platform } from '../platform.ts';
import { createMemoryApis, type MemoryApis } from './apis.ts';
import { createSeededChance } from './chance.ts';
import { createVirtualClock, type VirtualClock } from './clock.ts';
import { createMemoryEvents, type MemoryEvents } from './events.ts';
import { createMemoryFunctions, type MemoryFunctions, type Handlers } from './functions.ts';
import { createCountedIds } from './ids.ts';
import { createLogRecorder } from './log.ts';
import { createMemoryObjects, type MemoryObjects } from './objects.ts';
import { createMemorySecrets } from './secrets.ts';
import { createMemoryTable, type MemoryTable } from './table.ts';
import { createMemoryWire, type MemoryWire } from './wire.ts';
import { createMemoryWorkflows, type MemoryWorkflows } from './workflows.ts';

export type MemoryPlatform = Platform & {
  readonly table: MemoryTable;
  readonly objects: MemoryObjects;
  readonly workflows: MemoryWorkflows;
  readonly functions: MemoryFunctions;
  readonly events: MemoryEvents;
  readonly clock: VirtualClock;
  readonly log: ReturnType<typeof createLogRecorder>;
  readonly apis: MemoryApis;
  readonly wire: MemoryWire;
};

/** `handlers` answer calls to other functions; `clock` may be a manual one; `parameters` are texts by name. */
export const createMemoryPlatform = ({
  clock = createVirtualClock(),
  handlers = {},
  parameters = {},
}: {
  clock?: VirtualClock;
  handlers?: Handlers;
  parameters?: Readonly<Record<string, string>>;
} = {}): MemoryPlatform => {
  const secrets = createMemorySecrets();
  return {
    table: createMemoryTable(clock),
    objects: createMemoryObjects(clock),
    workflows: createMemoryWorkflows({ now: clock.now }),
    functions: createMemoryFunctions(handlers),
    events: createMemoryEvents(),
    sealer: secrets,
    opener: secrets,
    parameters: { read: async (name) => parameters[name] ?? '', find: async (name) => parameters[name] },
    apis: createMemoryApis(),
    log: createLogRecorder(),
    clock,
    chance: createSeededChance(),
    ids: createCountedIds(),
    wire: createMemoryWire(),
  };
};
