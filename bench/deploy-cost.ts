/**
 * What AWS would bill for one direct deploy with a configdrive and for giving it back: state transitions (states
 * entered and retries), invocations of each function, writes in units of 1 KB; for the deploy with the sum in dollars,
 * by the prices and assumptions of docs/aws.md. Polling by the client is left out. `npx node bench/deploy-cost.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Item } from '../layers/platform/table.ts';
import { companions } from '../layers/store/kinds/companions.ts';
import { kinds } from '../layers/store/kinds/kinds.ts';
import { keyOf } from '../layers/store/kinds/kind.ts';
import { startCloud } from '../local/cloud.ts';
import { enrol, readInventory } from './inventory.ts';
import { price, sum } from './prices.ts';
import { call } from './system.ts';
import { unitsOf, writesOfDeploy } from './write-units.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));
const cloud = await startCloud({
  stateDir: folder,
  port: 0,
  variables: {},
  simulator: { machines: 1, port: 0, controlPort: 0, scale: 0.02, profiles: 'plain' },
});
const transitions: Record<string, number> = {};
const ends = new Map<string, () => void>();
cloud.onWorkflowEvent(({ is, workflow }) => {
  if (is === 'entered' || is === 'retried') transitions[workflow] = (transitions[workflow] ?? 0) + 1;
  if (is === 'ended') ends.get(workflow)?.();
});

/** What the proxy writes is seen by the file of the table itself. */
const table = new DatabaseSync(join(folder, 'table.db'), { timeout: 5000 });
table.exec(`
  CREATE TABLE written (id INTEGER PRIMARY KEY, body TEXT);
  CREATE TRIGGER seen AFTER INSERT ON items WHEN new.sk LIKE '${companions.command.all('').begins}%'
    BEGIN INSERT INTO written (body) VALUES (new.body); END;
`);
const itemOf = ({ body }: Record<string, unknown>): Item => JSON.parse(body as string) as Item;

/** Of the ledger since the last time: a row and the head of its chain, and a look at the node before a command is sent. */
const ledgerUnits = (uuid: string): number => {
  const written = table.prepare('SELECT body FROM written').all().map(itemOf);
  const { pk, sk } = keyOf(kinds.node, uuid);
  const node = unitsOf(itemOf(table.prepare('SELECT body FROM items WHERE pk = ? AND sk = ?').get(pk, sk)!));
  table.exec('DELETE FROM written');
  const sent = written.filter(({ state }) => state === 'sent');
  const rows = written.reduce((sum, command) => sum + unitsOf(command) + 1, 0);
  // A transaction costs twice as much.
  return 2 * (rows + sent.length * node);
};

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
  return { transitions: { ...transitions }, invocations, ledger_units: ledgerUnits(node) };
};
const manage = await cost('manage', 'verify');
const provide = await cost('provide', 'clean');
const deploy = await cost('active', 'deploy', { configdrive: { user_data: 'bench' } });
const undeploy = await cost('deleted', 'clean');
table.close();
await cloud.stop();
rmSync(folder, { recursive: true, force: true });

/** What is assumed: seconds in which workflow and proxy wait for a BMC, requests to KMS, reads ... */
const assumed = { gigabyteSeconds: 90, kms: 30 * 3e-6, s3: 2 * 5e-6, reads: 200 * 0.125e-6 };

const dollarsOf = ({ transitions, invocations, ledger_units: ledger }: typeof deploy, { units }: typeof writes) => {
  const requests = (invocations['baremetal-api'] ?? 0) + (invocations['ramdisk-api'] ?? 0);
  return (
    // One more for the start of an execution.
    (sum(transitions) + 1) * price.transition +
    sum(invocations) * price.invocation +
    assumed.gigabyteSeconds * price.gigabyteSecond +
    (sum(units) + ledger) * price.unit +
    requests * (price.request + price.trace) +
    assumed.kms +
    assumed.s3 +
    assumed.reads
  );
};

const writes = await writesOfDeploy();
const dollars = Number(dollarsOf(deploy, writes).toFixed(5));
console.log(
  JSON.stringify({ bench: 'deploy-cost', manage, provide, deploy: { ...deploy, ...writes, dollars }, undeploy }),
);
