/** Every port as a fake, sharing one clock: what a function under test is given. */
import type { Ports } from '../../layers/store/ports.ts';
import { createFakeClock, type FakeClock } from './clock.ts';
import { createFakeFunctions, type FakeFunctions, type Handlers } from './functions.ts';
import { createFakeIds } from './ids.ts';
import { createLogRecorder } from './log.ts';
import { createFakeObjects, type FakeObjects } from './objects.ts';
import { createFakeSecrets } from './secrets.ts';
import { createMemoryTable, type MemoryTable } from './table.ts';
import { createMemoryWorkflows, type MemoryWorkflows } from './workflows.ts';

export type FakePorts = Ports & {
  readonly table: MemoryTable;
  readonly objects: FakeObjects;
  readonly workflows: MemoryWorkflows;
  readonly functions: FakeFunctions;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof createLogRecorder>;
};

/** `handlers` answer calls to other functions; `clock` may be a manual one; `parameters` are texts by name. */
export const createFakePorts = ({
  clock = createFakeClock(),
  handlers = {},
  parameters = {},
}: { clock?: FakeClock; handlers?: Handlers; parameters?: Readonly<Record<string, string>> } = {}): FakePorts => {
  const secrets = createFakeSecrets();
  return {
    table: createMemoryTable(clock),
    objects: createFakeObjects(clock),
    workflows: createMemoryWorkflows({ now: clock.now }),
    functions: createFakeFunctions(handlers),
    sealer: secrets,
    opener: secrets,
    parameters: { read: async (name) => parameters[name] ?? '' },
    log: createLogRecorder(),
    clock,
    ids: createFakeIds(),
  };
};
