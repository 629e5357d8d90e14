/**
 * BMCs that no maker's row is about, as emulators and unknown boards build them, through the whole system: cleaned,
 * deployed, rescued, aborted; and nothing is left in a drive that the next start would boot.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

const profiles = ['emulator', 'basic', 'twins', 'triple', 'tasks'];
/** For stories of one machine each. */
const others = ['emulator', 'tasks', 'tasks', 'plain'];

let site: Site;

beforeAll(async () => {
  const all = [...profiles, ...others];
  site = await startSite({ machines: all.length, profiles: all.join(), env: {} });
});

afterAll(async () => site?.stop());

const otherMachine = (at: number): Machine => site.machines[profiles.length + at]!;

const expectNothingLeft = async (machine: Machine) => {
  const { media, boot, auth_failures, violations } = await site.evidence(machine);
  expect(Object.values(media).filter(Boolean)).toEqual([]);
  expect(`${boot.enabled} ${boot.target}`).not.toMatch(/^(Once|Continuous) Cd$/);
  expect({ auth_failures, violations }).toEqual({ auth_failures: 0, violations: [] });
};

const enrol = async (machine: Machine, more: object = {}) => {
  await site.enrol(machine, {}, more);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
};

describe.concurrent('a machine', () => {
  it.each(profiles)('is cleaned, deployed and rescued (%s)', async (profile) => {
    const machine = site.machines.find((one) => one.profile === profile)!;
    await enrol(machine, { rescue_interface: 'agent' });
    await site.provision(machine, 'provide');
    await site.reaches(machine, 'available');
    await expectNothingLeft(machine);
    await site.provision(machine, 'active');
    await site.reaches(machine, 'active');
    await expectNothingLeft(machine);
    await site.provision(machine, 'rescue', { rescue_password: 'correct horse' });
    await site.reaches(machine, 'rescue');
    await expectNothingLeft(machine);
  });

  it('boots no ramdisk after its clean was aborted', async () => {
    const machine = otherMachine(0);
    await enrol(machine);
    await site.fault(machine, { name: 'agent_never_calls' });
    await site.provision(machine, 'provide');
    await until('the agent to be waited for', async () => (await site.node(machine)).provision_state === 'clean wait');
    await site.provision(machine, 'abort');
    await site.reaches(machine, 'clean failed');
    await until('the power-off', async () => (await site.node(machine)).reservation === null);
    expect(await site.node(machine)).toMatchObject({ power_state: 'power off' });
    await expectNothingLeft(machine);
  });

  it('whose reset fails as a task is told it once, and the task has the word', async () => {
    const machine = otherMachine(1);
    await enrol(machine);
    await site.fault(machine, { name: 'task_fails' });
    await site.call('PUT', `/v1/nodes/${machine.name}/states/power`, { target: 'power on' });
    const failed = await until('the failure', async () => {
      const now = await site.node(machine);
      return now.reservation === null && now;
    });
    expect(failed.last_error).toMatch(
      /^Power action failed in PowerOn: What BMC .* ended with status 500: .*task_fails/,
    );
    expect((await site.evidence(machine)).resets).toMatchObject([{ type: 'On', status: 202 }]);
  });

  it('whose insert never ends is told it once', async () => {
    const machine = otherMachine(2);
    await enrol(machine);
    await site.fault(machine, { name: 'task_stuck', count: 1 });
    await site.provision(machine, 'provide');
    const posts = async () => (await site.requests(machine)).filter(({ path }) => path.endsWith('.InsertMedia')).length;
    await until('the insert', async () => (await posts()) === 1);
    // Longer than the lag after which an insert that nobody works on is repeated.
    await new Promise((resolve) => {
      setTimeout(resolve, 40_000);
    });
    expect(await posts()).toBe(1);
  });

  it('whose step failed stays on, and says what its BMC would not undo', async () => {
    const machine = otherMachine(3);
    await enrol(machine);
    await site.fault(machine, { name: 'agent_command_fails' });
    await site.fault(machine, { name: 'media_eject_fails' });
    await site.provision(machine, 'provide');
    const { last_error: error } = await site.reaches(machine, 'clean failed');
    expect(error).toContain("The agent's step deploy.erase_devices");
    expect(error).toMatch(/ Afterwards the machine could not give back the boot media: POST .* status 500/);
    expect((await site.evidence(machine)).power).toBe('on');
  });
});
