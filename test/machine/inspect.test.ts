/** Inspections by BMC and by agent, adoption and rescue of simulated machines, all the way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';

const profiles = ['plain', 'dell', 'hpe', 'lenovo', 'supermicro'];

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: profiles.length, profiles: profiles.join(), env: {} });
});

afterAll(async () => site?.stop());

const inspect = async (machine: Machine, inspect_interface: string) => {
  await site.enrol(machine, {}, { inspect_interface });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'inspect');
  const node = await site.reaches(machine, 'manageable');
  const found = await site.call('GET', `/v1/nodes/${machine.name}/inventory`);
  return { node, found };
};

describe.concurrent('a machine', () => {
  it.each(profiles.slice(0, 4))('is inspected by its BMC (%s)', async (profile) => {
    const machine = site.machines.find((one) => one.profile === profile)!;
    const { node, found } = await inspect(machine, 'redfish');
    expect(node).toMatchObject({ last_error: null, properties: { cpu_arch: 'x86_64' } });
    expect(found.status).toBe(200);
    expect((await site.evidence(machine)).boots).toEqual([]);
  });

  it('is inspected by its agent, adopted, rescued and given back', async () => {
    const machine = site.machines.find(({ profile }) => profile === 'supermicro')!;
    const { node, found } = await inspect(machine, 'agent');
    expect(node).toMatchObject({ last_error: null, power_state: 'power off', properties: { cpu_arch: 'x86_64' } });
    expect(found.body).toMatchObject({ inventory: { interfaces: [{ mac_address: machine.mac }] } });

    await site.patch(machine, { '/rescue_interface': 'agent' });
    await site.provision(machine, 'adopt');
    await site.reaches(machine, 'active');
    await site.provision(machine, 'rescue', { rescue_password: 'correct horse' });
    await site.reaches(machine, 'rescue');
    expect(await site.evidence(machine)).toMatchObject({ power: 'on', phase: 'ramdisk', violations: [] });
    expect(site.output()).not.toContain('correct horse');

    await site.provision(machine, 'unrescue');
    expect(await site.reaches(machine, 'active')).toMatchObject({ power_state: 'power on', last_error: null });
  });
});
