/**
 * What DynamoDB bills for the writes of one direct deploy with a configdrive, and of one server, in units of 1 KB: the real
 * phases on the memory table. The BMC is made up, so its ledger is not in it.
 */
import { configdriveKey, configdriveReference } from '../layers/domain/configdrive.ts';
import { keyOf } from '../layers/platform/evaluate.ts';
import { checkItem } from '../layers/platform/limits.ts';
import type { MemoryTable } from '../layers/platform/memory/table.ts';
import type { Item, Write } from '../layers/platform/table.ts';
import { createAgent } from '../test/workflows/agent.ts';
import { aNode, uuid } from '../test/workflows/nodes.ts';
import { createStage as createServerStage } from '../test/workflows/servers/stage.ts';
import { createStage } from '../test/workflows/stage.ts';

/** Transactions and single writes, items in them, and units by what they were for: the records, or entries of indexes. */
export type Writes = {
  readonly writes: number;
  readonly items: number;
  readonly units: { readonly index: number; readonly others: number };
};

/** At least one, also for what is deleted before it was there. */
export const unitsOf = (item: Item | undefined): number => (item ? Math.ceil(checkItem(item) / 1024) : 1);

/** Counts what is written from now on. A transaction costs twice as much. */
const meter = (table: MemoryTable): Writes => {
  const units = { index: 0, others: 0 };
  const count = { writes: 0, items: 0, units };
  const stored = (writes: readonly Write[]) => {
    const all = new Map(table.items().map((item) => [`${item.pk} ${item.sk}`, item]));
    return writes.map((write) => all.get(`${keyOf(write).pk} ${keyOf(write).sk}`));
  };
  let before: (Item | undefined)[] = [];
  table.onWrite = (writes) => {
    before = stored(writes);
  };
  table.onWritten = (writes) => {
    const after = stored(writes);
    count.writes += 1;
    count.items += writes.length;
    for (const [at, write] of writes.entries()) {
      const size = Math.max(unitsOf(before[at]), unitsOf(after[at]));
      units[keyOf(write).pk.startsWith('index#') ? 'index' : 'others'] += size * (writes.length > 1 ? 2 : 1);
    }
  };
  return count;
};

/** Deploys a node on a staged clock. Throws if it does not become active. */
export const writesOfDeploy = async (): Promise<Writes> => {
  const configdrive = configdriveKey(uuid, '01J0');
  const { instance_info, ...rest } = aNode();
  const stage = await createStage({
    node: {
      ...rest,
      resource_class: 'gold',
      owner: 'p1',
      properties: { cpus: 8, memory_mb: 65_536, local_gb: 480, cpu_arch: 'x86_64' },
      instance_info: { ...instance_info, configdrive: configdriveReference(configdrive) },
    },
  });
  await stage.world.objects.put(configdrive, Buffer.from('iso'));
  const count = meter(stage.world.table);
  const agent = createAgent(stage);
  await stage.provision('deploy', 'deploy');
  await stage.settle(600);
  await agent.call();
  await stage.settle();
  await agent.finish();
  await stage.settle(600);
  const { provision_state: state } = await stage.read();
  if (state !== 'active') throw new Error(`The node became ${state}.`);
  return count;
};

/** Creates a server with one network card; the writes of its own table. Throws if it does not become active. */
export const writesOfServer = async (): Promise<Writes> => {
  const stage = await createServerStage();
  await stage.addNode();
  const network = await stage.addNetwork();
  const count = meter(stage.tenants.table);
  const server = await stage.boots({ networks: [{ uuid: network }] });
  await stage.settle(60);
  const { vm_state: state } = (await stage.readServer(server))!;
  if (state !== 'active') throw new Error(`The server became ${state}.`);
  return count;
};
