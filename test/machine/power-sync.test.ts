/** Machines that are switched by others, or lose their power or their BMC, and what their nodes say of it. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Machine, type Node, type Site, startSite } from './site.ts';
import { until } from './system.ts';

const often = { INGOT_SYNC_POWER_STATE_INTERVAL: '1', INGOT_POWER_STATE_SYNC_MAX_RETRIES: '1' };

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: 2, profiles: 'plain,emulator', env: often });
});

afterAll(async () => site?.stop());

const shows = async (machine: Machine, what: object): Promise<Node> =>
  until(`${machine.name} to show ${JSON.stringify(what)}`, async () => {
    const node = await site.node(machine);
    const same = Object.entries(what).every(([name, value]) => node[name as keyof Node] === value);
    return same && node.reservation === null && node;
  });

const manage = async (machine: Machine) => {
  await site.enrol(machine);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.call('PUT', `/v1/nodes/${machine.name}/states/power`, { target: 'power on' });
  await shows(machine, { power_state: 'power on' });
};

it('follows a machine that lost its power, leaves one without a BMC to people, and heals; or switches it back', async () => {
  const [one, other] = site.machines as [Machine, Machine];
  await Promise.all([one, other].map(manage));

  await site.press(one, 'off');
  await site.fault(other, { name: 'bmc_drops' });
  await shows(one, { power_state: 'power off', maintenance: false });
  const failed = await shows(other, { fault: 'power failure', maintenance: true, power_state: null });
  expect(failed.last_error).toContain('Switching node to maintenance mode. Error: ');

  await site.mend(other);
  await shows(other, { fault: null, maintenance: false, power_state: 'power on', last_error: null });
  expect((await site.evidence(one)).resets.map(({ type }) => type)).toEqual(['On']);

  await site.restart({ INGOT_FORCE_POWER_STATE_DURING_SYNC: 'true' });
  await site.press(other, 'off');
  await until('it to be switched on again', async () => (await site.evidence(other)).power === 'on');
  await shows(other, { power_state: 'power on', maintenance: false });
  expect((await site.evidence(other)).resets.map(({ type }) => type)).toEqual(['On', 'On']);
  for (const machine of [one, other]) {
    expect(await site.evidence(machine)).toMatchObject({ auth_failures: 0, violations: [] });
  }
});
