/**
 * Simulated redfish machines enrolled, deployed with a configdrive and given back, all at once:
 * `node bench/deploy.ts [machines] [time scale]`.
 */
import { enrol, readInventory } from './inventory.ts';
import { allReach, call, residentMb, startSystem } from './system.ts';

const count = Number(process.argv[2] ?? 200);
const scale = Number(process.argv[3] ?? 0.01);
const system = await startSystem(count, scale);
const { base, control } = system;

const { machines, images } = await readInventory(control);
const uuids = await Promise.all(machines.map(async (machine) => enrol(base, machine, images)));
const move = async (target: string, state: string, more: object = {}) => {
  const since = performance.now();
  await Promise.all(uuids.map((uuid) => call(base, 'PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more })));
  return allReach(base, count, state, since);
};
const seconds = {
  manage: await move('manage', 'manageable'),
  provide: await move('provide', 'available'),
  deploy: await move('active', 'active', { configdrive: { user_data: 'bench' } }),
  undeploy: await move('deleted', 'available'),
};
const memory = Object.fromEntries(Object.entries(system.pids).map(([name, pid]) => [name, residentMb(pid)]));
await system.stop();

console.log(JSON.stringify({ bench: 'deploy', machines: count, scale, seconds, memory_mb: memory }));
