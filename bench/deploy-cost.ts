/**
 * What AWS would bill for one direct deploy with a configdrive and for giving it back: state transitions (states
 * entered and retries) and invocations of each function, polling by this client left out. `node bench/deploy-cost.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCloud } from '../local/cloud.ts';
import { enrol, readInventory } from './inventory.ts';
import { call } from './system.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const cloud = await startCloud({
  stateDir: folder,
  port: 0,
  variables: {},
  simulator: { machines: 1, port: 0, controlPort: 0, scale: 0.02 },
});
const transitions: Record<string, number> = {};
const ends = new Map<string, () => void>();
cloud.onWorkflowEvent(({ is, workflow }) => {
  if (is === 'entered' || is === 'retried') transitions[workflow] = (transitions[workflow] ?? 0) + 1;
  if (is === 'ended') ends.get(workflow)?.();
});

const { machines, images } = await readInventory(cloud.simulator!.control);
const node = await enrol(cloud.url, machines[0]!, images);

/** Asks for a target and waits for the end of the last workflow that follows from it. */
const cost = async (target: string, workflow: string, more: object = {}) => {
  for (const name of Object.keys(transitions)) delete transitions[name];
  const before = cloud.invocations();
  const ended = new Promise<void>((resolve) => ends.set(workflow, resolve));
  await call(cloud.url, 'PUT', `/v1/nodes/${node}/states/provision`, { target, ...more });
  await ended;
  const after = cloud.invocations();
  const invocations = Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([name, count]) => count > 0 && name !== 'sync'),
  );
  return { transitions: { ...transitions }, invocations };
};
const manage = await cost('manage', 'verify');
const provide = await cost('provide', 'clean');
const deploy = await cost('active', 'deploy', { configdrive: { user_data: 'bench' } });
const undeploy = await cost('deleted', 'clean');
await cloud.stop();
rmSync(folder, { recursive: true, force: true });

console.log(JSON.stringify({ bench: 'deploy-cost', manage, provide, deploy, undeploy }));
