/** What becomes of a deployment: updated while a machine waits for its agent, and removed. Each needs what was before it. */
import { expect, inject, it } from 'vitest';

import type { Machine } from '../../machine/site.ts';
import { until } from '../../machine/system.ts';
import { siteOf } from '../clients.ts';
import { deploy, destroy } from '../deployment.ts';

const deployment = inject('deployment');

/** Seconds, where half an hour is usual. */
const impatient = { clean_callback_timeout: '4' };

const site = siteOf(deployment);
/** Their agents never call: of the one before the update, of the other after it. */
const [early, late] = site.machines.slice(5) as [Machine, Machine];

/** Enrols a machine and has it cleaned by an agent that never calls. */
const cleanInVain = async (machine: Machine): Promise<void> => {
  await site.enrol(machine);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.fault(machine, { name: 'agent_never_calls' });
  await site.provision(machine, 'provide');
};

it('waits half an hour for an agent that never calls', async () => {
  await cleanInVain(early);
  await until('clean wait', async () => (await site.node(early)).provision_state === 'clean wait');
});

it('is updated meanwhile, to wait for seconds: the API answers, and whoever waits goes on waiting', async () => {
  const updated = await deploy(deployment.aws, impatient);
  expect(updated.endpoints).toEqual(deployment.endpoints);
  expect((await site.call('GET', '/v1/nodes')).status).toBe(200);
  expect(await site.node(early)).toMatchObject({ provision_state: 'clean wait', last_error: null });
});

it('gives up on such an agent after the new time, and says so', async () => {
  await cleanInVain(late);
  const { last_error } = await site.reaches(late, 'clean failed');
  expect(last_error).toMatch(/agent/);
});

it('is removed, and nobody answers any more', async () => {
  await destroy(deployment.aws);
  expect((await fetch(`${deployment.endpoints['Endpoint']}/v1`)).status).toBe(404);
});
