/**
 * Simulated redfish machines enrolled, deployed with a configdrive and given back, all at once:
 * `node bench/deploy.ts [machines] [time scale]`. Also counts what one deploy costs in state transitions.
 */
import { allReach, call, residentMb, startSystem } from './system.ts';

const count = Number(process.argv[2] ?? 200);
const scale = Number(process.argv[3] ?? 0.01);
const system = await startSystem(count, scale);
const { base, control } = system;

type Machine = {
  address: string;
  system_id: string;
  username: string;
  password: string;
  mac: string;
  certificate: string;
};
type Inventory = { machines: Machine[]; images: { deploy_iso: string; demo_raw: { url: string; sha256: string } } };
const inventory = (await (await fetch(`${control}/machines`)).json()) as Inventory;

const enrol = async ({ mac, ...machine }: Machine) => {
  const { uuid } = await call<{ uuid: string }>(base, 'POST', '/v1/nodes', {
    driver: 'redfish',
    driver_info: {
      redfish_address: machine.address,
      redfish_system_id: machine.system_id,
      redfish_username: machine.username,
      redfish_password: machine.password,
      redfish_verify_ca: machine.certificate,
      deploy_iso: inventory.images.deploy_iso,
    },
    instance_info: {
      image_source: inventory.images.demo_raw.url,
      image_os_hash_algo: 'sha256',
      image_os_hash_value: inventory.images.demo_raw.sha256,
    },
  });
  await call(base, 'POST', '/v1/ports', { node_uuid: uuid, address: mac });
  return uuid;
};

const uuids = await Promise.all(inventory.machines.map(enrol));
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
