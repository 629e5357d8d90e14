/**
 * Simulated redfish machines enrolled, deployed with a configdrive and given back, all at once. For each phase: how long
 * it took, the processor time of both processes, and what machines were asked and asked themselves, a machine:
 * `node bench/deploy.ts [machines] [time scale]`.
 */
import { enrol, readInventory } from './inventory.ts';
import { allReach, call, cpuSeconds, residentMb, startSystem } from './system.ts';

const count = Number(process.argv[2] ?? 200);
const scale = Number(process.argv[3] ?? 0.01);
const atOnce = 50;

const system = await startSystem(count, scale);
const { base, control, pids } = system;

type Counts = { readonly requests: Readonly<Record<string, number>>; readonly connections: number };
type Figures = Readonly<Record<string, number>>;

const ofProcesses = (figure: (pid: number) => number): Figures =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, figure(pid)]));
const readCounts = async (): Promise<Figures> => {
  const { requests, connections } = await call<Counts>(control, 'GET', '/counts');
  return { ...requests, connections };
};
const minus = (after: Figures, before: Figures, each = 1): Figures =>
  Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, Number(((value - (before[name] ?? 0)) / each).toFixed(1))]),
  );

const { machines, images } = await readInventory(control);
const uuids: string[] = [];
for (let at = 0; at < machines.length; at += atOnce) {
  const some = machines.slice(at, at + atOnce);
  uuids.push(...(await Promise.all(some.map(async (machine) => enrol(base, machine, images)))));
}

const move = async (target: string, state: string, more: object = {}) => {
  const [cpu, counts, since] = [ofProcesses(cpuSeconds), await readCounts(), performance.now()];
  await Promise.all(uuids.map((uuid) => call(base, 'PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more })));
  return {
    seconds: await allReach(base, count, state, since),
    cpu_seconds: minus(ofProcesses(cpuSeconds), cpu),
    each: minus(await readCounts(), counts, count),
    memory_mb: ofProcesses(residentMb),
  };
};
const phases = {
  manage: await move('manage', 'manageable'),
  provide: await move('provide', 'available'),
  deploy: await move('active', 'active', { configdrive: { user_data: 'bench' } }),
  undeploy: await move('deleted', 'available'),
};
await system.stop();

console.log(JSON.stringify({ bench: 'deploy', machines: count, scale, ...phases }));
