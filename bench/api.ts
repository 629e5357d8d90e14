/** GET node, lists, create, PATCH at concurrency 1 and 16 with 1,000 nodes: `node bench/api.ts [seconds each]`. */
import { type Figures, load } from './load.ts';
import { residentMb, startSystem } from './system.ts';

const seconds = Number(process.argv[2] ?? 4);
const fleet = 1000;

const system = await startSystem(0);
const { base } = system;
const create = (index: number) => ({
  method: 'POST',
  path: '/v1/nodes',
  body: { driver: 'fake-hardware', name: `bench-${index}`, properties: { cpus: 8, memory_mb: 65_536, local_gb: 480 } },
});

let created = 0;
const figures: Record<string, Record<string, Figures>> = {};
const measure = async (name: string, next: Parameters<typeof load>[3]) => {
  figures[name] = {
    c1: await load(base, 1, seconds, next),
    c16: await load(base, 16, seconds, next),
  };
};

const startLoad = performance.now();
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (created < fleet) {
      const { body, path, method } = create(created++);
      const answer = await fetch(base + path, {
        method,
        headers: { 'X-OpenStack-Ironic-API-Version': '1.115', 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`POST was answered ${answer.status}: ${await answer.text()}`);
    }
  }),
);
const fillSeconds = Number(((performance.now() - startLoad) / 1000).toFixed(2));

const any = (index: number) => `bench-${(index * 7919) % fleet}`;
await measure('get_node', (index) => ({ method: 'GET', path: `/v1/nodes/${any(index)}` }));
await measure('list_100_three_fields', () => ({
  method: 'GET',
  path: '/v1/nodes?limit=100&fields=uuid,name,provision_state',
}));
await measure('list_100_detail', () => ({ method: 'GET', path: '/v1/nodes/detail?limit=100' }));
await measure('patch_node', (index) => ({
  method: 'PATCH',
  path: `/v1/nodes/${any(index)}`,
  body: [{ op: 'add', path: '/extra/bench', value: index }],
}));
await measure('create_node', () => create(created++));
const memory = Object.fromEntries(Object.entries(system.pids).map(([name, pid]) => [name, residentMb(pid)]));
await system.stop();

console.log(
  JSON.stringify({ bench: 'api', node: process.version, fleet, fill_seconds: fillSeconds, figures, memory_mb: memory }),
);
