/** 100 fake-hardware nodes made active, then deleted: `node bench/fake-nodes.ts [nodes]`. */
import { allReach, call, startSystem } from './system.ts';

const count = Number(process.argv[2] ?? 100);
const system = await startSystem(0);
const { base } = system;

const uuids = await Promise.all(
  Array.from({ length: count }, async (_, index) => {
    const { uuid } = await call<{ uuid: string }>(base, 'POST', '/v1/nodes', {
      driver: 'fake-hardware',
      name: `fake-${index}`,
      instance_info: { image_source: 'http://127.0.0.1/none.raw', image_checksum: '0'.repeat(32) },
    });
    return uuid;
  }),
);
const move = async (target: string, state: string) => {
  const since = performance.now();
  await Promise.all(uuids.map((uuid) => call(base, 'PUT', `/v1/nodes/${uuid}/states/provision`, { target })));
  return allReach(base, count, state, since);
};
await move('manage', 'manageable');
await move('provide', 'available');
const active = await move('active', 'active');
const deleted = await move('deleted', 'available');
await system.stop();

console.log(JSON.stringify({ bench: 'fake-nodes', nodes: count, active_seconds: active, deleted_seconds: deleted }));
