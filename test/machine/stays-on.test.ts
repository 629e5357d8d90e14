/** A machine with `disable_power_off`, whose BMC would die with it: nothing that clients ask for leaves it without power. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: 2, profiles: 'plain,hpe', env: {} });
});

afterAll(async () => site?.stop());

const power = async ({ name }: Machine, target: string) =>
  (await site.call('PUT', `/v1/nodes/${name}/states/power`, { target })).status;

/** Until nobody holds the node any more. */
const rests = async (machine: Machine) =>
  until(`${machine.name} to rest`, async () => {
    const node = await site.node(machine);
    return node.reservation === null && node;
  });

it.each([0, 1])(
  'is restarted, and refused what would switch it off, before anything happens (machine %i)',
  async (at) => {
    const machine = site.machines[at]!;
    await site.enrol(machine, {}, { disable_power_off: true });
    await site.provision(machine, 'manage');
    await site.reaches(machine, 'manageable');
    expect(await power(machine, 'power on')).toBe(202);
    await rests(machine);
    expect(await power(machine, 'rebooting')).toBe(202);
    expect(await rests(machine)).toMatchObject({ power_state: 'power on', last_error: null });
    for (const target of ['power off', 'soft power off']) expect(await power(machine, target)).toBe(409);
    const provide = await site.call('PUT', `/v1/nodes/${machine.name}/states/provision`, { target: 'provide' });
    expect([provide.status, JSON.stringify(provide.body)]).toEqual([400, expect.stringContaining('disable_power_off')]);
    const { power_timeline, resets } = await site.evidence(machine);
    expect(resets.map(({ type }) => type)).toEqual(['On', 'ForceRestart']);
    expect(power_timeline.map(({ to }) => to)).not.toContain('Off');
  },
);
