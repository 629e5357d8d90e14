/**
 * What DynamoDB bills for the writes of one direct deploy with a configdrive, in units of 1 KB: the real phases on the
 * memory table, the BMC made up (its ledger is counted by `deploy-cost.ts`). `npx node bench/write-units.ts`
 */
import { configdriveKey, configdriveReference } from '../layers/domain/configdrive.ts';
import { keyOf } from '../layers/platform/evaluate.ts';
import { checkItem } from '../layers/platform/limits.ts';
import type { MemoryTable } from '../layers/platform/memory/table.ts';
import type { Item, Write } from '../layers/platform/table.ts';
import { createAgent } from '../test/workflows/agent.ts';
import { aNode, uuid } from '../test/workflows/nodes.ts';
import { createStage } from '../test/workflows/stage.ts';

/** Units of 1 KB; at least one, also for what is deleted before it was there. */
const unitsOf = (item: Item | undefined) => (item ? Math.ceil(checkItem(item) / 1024) : 1);

/** What an item is to the bill: a copy for an index, or by the word its key begins with. */
const partOf = ({ pk, sk }: { pk: string; sk: string }) => {
  if (pk.startsWith('index#')) return 'index';
  return pk.startsWith('unique#') ? 'guard' : sk.split('#')[0]!;
};

/** Counts what is written from now on: by the part, and how often. A transaction costs twice as much. */
const meter = (table: MemoryTable) => {
  const units: Record<string, number> = {};
  const count = { writes: 0, items: 0 };
  const stored = (writes: readonly Write[]) => writes.map((write) => table.get(keyOf(write)));
  let before: (Item | undefined)[] = [];
  table.onWrite = async (writes) => {
    before = await Promise.all(stored(writes));
  };
  const at = (key: ReturnType<typeof keyOf>) => table.items().find(({ pk, sk }) => pk === key.pk && sk === key.sk);
  table.onWritten = (writes) => {
    count.writes += 1;
    count.items += writes.length;
    for (const [index, write] of writes.entries()) {
      const key = keyOf(write);
      const size = Math.max(unitsOf(before[index]), unitsOf(at(key)));
      units[partOf(key)] = (units[partOf(key)] ?? 0) + size * (writes.length > 1 ? 2 : 1);
    }
  };
  return { units, count };
};

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
const { units, count } = meter(stage.world.table);
const agent = createAgent(stage);
await stage.provision('deploy', 'deploy');
await stage.settle(600);
await agent.call();
await stage.settle();
await agent.finish();
await stage.settle(600);
const { provision_state: state } = await stage.read();
const all = Object.values(units).reduce((sum, one) => sum + one, 0);
console.log(JSON.stringify({ bench: 'write-units', state, ...count, units: { ...units, all } }));
