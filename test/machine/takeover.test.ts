/** Machines that run and were somebody else's: moved in, fenced, taken over. What their own BMCs saw of it are reads. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Evidence, leaveOn, type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

const root = new URL('../..', import.meta.url).pathname;
let site: Site;
const uuids = new Map<Machine, string>();
/** How the machines were when they were moved in. */
const before = new Map<Machine, { evidence: Evidence; requests: number }>();

const ingot = async (...args: string[]): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [`${root}cli/ingot.js`, ...args], (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out: out + err }),
    );
  });
const takeover = async (...args: string[]) => ingot('takeover', ...args, '--endpoint', site.url);

/** Whoever had the machine before has it switched on. */
const ofSomebodyElse = async (machine: Machine) => {
  await leaveOn(site, machine);
  before.set(machine, { evidence: await site.evidence(machine), requests: (await site.requests(machine)).length });
};

const recordOf = (machine: Machine, password = machine.password) => {
  uuids.set(machine, randomUUID());
  return {
    kind: 'node',
    record: {
      uuid: uuids.get(machine),
      name: machine.name,
      driver: 'redfish',
      driver_info: {
        redfish_address: machine.address,
        redfish_system_id: machine.system_id,
        redfish_username: machine.username,
        redfish_password: password,
        redfish_verify_ca: machine.certificate,
      },
      instance_uuid: randomUUID(),
      provision_state: 'active',
      power_state: 'power off',
    },
  };
};

/** What the BMC was asked since the machine was moved in, but for logging in and out. */
const askedOf = async (machine: Machine) =>
  (await site.requests(machine))
    .slice(before.get(machine)!.requests)
    .filter(({ side, path }) => side === 'bmc' && !path.includes('/Sessions'));

beforeAll(async () => {
  site = await startSite({ machines: 3, profiles: 'plain,hpe,dell', env: {} });
  await Promise.all(site.machines.map(ofSomebodyElse));
});

afterAll(async () => site?.stop());

it('is refused everything that would do something to a machine before it is taken over', async () => {
  const [one, two, wrong] = site.machines as [Machine, Machine, Machine];
  const records = [recordOf(one), recordOf(two), recordOf(wrong, 'not the password')];
  const { status, body } = await site.call('POST', '/v1/imports', { records });
  expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('refused')]);
  for (const [what, wanted] of [
    ['power', { target: 'power off' }],
    ['provision', { target: 'deleted' }],
    ['boot_mode', { target: 'bios' }],
  ] as const) {
    const refused = await site.call('PUT', `/v1/nodes/${one.name}/states/${what}`, wanted);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([409, expect.stringContaining('takeover_pending')]);
  }
  for (const machine of site.machines) expect(await askedOf(machine)).toEqual([]);
});

it('is taken over by reads alone: its BMC, its power and the ledger say so', async () => {
  expect(await takeover('start')).toMatchObject({ code: 0, out: expect.stringContaining('3 begun') as string });
  const told = await until('the takeovers to end', async () => {
    const now = await takeover('status');
    return /pending +0\nrunning +0\n/.test(now.out) && now;
  });
  expect([told.code, told.out]).toEqual([1, expect.stringMatching(/completed +2\nfailed +1\n/)]);
  expect(told.out).toContain(`${site.machines[2]!.name} (${uuids.get(site.machines[2]!)})`);
  for (const machine of site.machines) {
    const asked = await askedOf(machine);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([]);
    const { power, resets, power_timeline, media } = await site.evidence(machine);
    const was = before.get(machine)!.evidence;
    expect({ power, resets, power_timeline, media }).toEqual({
      power: 'on',
      resets: was.resets,
      power_timeline: was.power_timeline,
      media: was.media,
    });
    const ledger = await ingot('ledger', 'verify', uuids.get(machine)!, '--state-dir', site.folder);
    expect(ledger.out).toContain('nothing was sent to its BMC');
  }
  expect(await site.node(site.machines[0]!)).toMatchObject({ provision_state: 'active', power_state: 'power on' });
});

it('can be begun again with the right password, and then be worked with', async () => {
  const wrong = site.machines[2]!;
  await site.patch(wrong, { '/driver_info/redfish_password': wrong.password });
  expect(await takeover('start', '--failed')).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 begun') as string,
  });
  await until('the last takeover to end', async () => /completed +3\n/.test((await takeover('status')).out));
  expect(await takeover('status')).toMatchObject({ code: 0 });
  const accepted = await site.call('PUT', `/v1/nodes/${wrong.name}/states/power`, { target: 'power off' });
  expect(accepted.status).toBe(202);
  await until('the machine to be off', async () => (await site.evidence(wrong)).power === 'off');
});
