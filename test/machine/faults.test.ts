/**
 * Everything that goes wrong with real hardware, through the whole system: where the node ends up, what it says about
 * it, and that `deleted` gives back a clean machine every time (redfish.md 5). One machine for each row, all at once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Evidence, type Machine, type Site, startSite } from './site.ts';

type Fault = { readonly name: string; readonly count?: number; readonly op?: string; readonly seconds?: number };

type Row = {
  readonly faults: readonly Fault[];
  /** How often the machine is switched on: once for the agent, once for the instance, unless it takes more. */
  readonly powerOns?: number;
  readonly shows?: (evidence: Evidence) => void;
};
type Fatal = { readonly faults: readonly Fault[]; readonly phase: string; readonly cause: RegExp };

const once = (name: string, more: Partial<Fault> = {}): Fault => ({ name, count: 1, ...more });
const powerOns = ({ power_timeline: timeline }: Evidence) => timeline.filter(({ to }) => to === 'On').length;
const noSecondReset = ({ resets }: Evidence) => expect(resets.filter(({ type }) => type === 'On')).toHaveLength(2);

/** The deploy succeeds all the same. */
const survived: { readonly [title: string]: Row } = {
  'a BMC that is slow': { faults: [{ name: 'bmc_slow', count: 20, seconds: 20 }] },
  'a BMC that answers 503 a few times': { faults: [{ name: 'bmc_503', count: 5 }] },
  'a BMC that hangs once': { faults: [once('bmc_hangs')] },
  'a BMC that drops connections': { faults: [{ name: 'bmc_drops', count: 3 }] },
  'a BMC that answers with a page of HTML': { faults: [{ name: 'bmc_html', count: 2 }] },
  'a BMC that does as told but drops its answer': {
    faults: [once('bmc_drops_answer', { op: 'POST /redfish/v1/Systems' })],
    shows: noSecondReset,
  },
  'a BMC without a free session': { faults: [{ name: 'session_limit' }] },
  'a BMC that forgets a session': { faults: [once('session_lost')] },
  'a power state that lags behind': { faults: [{ name: 'power_state_stale', seconds: 100 }], shows: noSecondReset },
  'a reset that is accepted and ignored once': { faults: [once('reset_ignored', { op: 'On' })] },
  'a reset that meets a conflict': { faults: [once('reset_conflict', { op: 'On' })] },
  'a boot device that cannot be set in POST': { faults: [once('boot_patch_refused')] },
  'media that cannot be inserted at first': { faults: [once('media_insert_fails')] },
  'media that are accepted but not inserted': { faults: [once('media_insert_silent')] },
  'media that cannot be ejected at first': { faults: [once('media_eject_fails')] },
  'an agent that does not call after the first boot': { faults: [once('agent_never_calls')], powerOns: 3 },
  'a ramdisk that does not come up at first': { faults: [once('boot_fails')], powerOns: 3 },
  'an agent that is busy': { faults: [once('agent_busy', { op: 'deploy.execute_deploy_step' })] },
  'an agent that is slow': { faults: [once('agent_slow', { seconds: 100 })] },
  'an agent that calls twice at once': { faults: [{ name: 'duplicate_heartbeat' }] },
  'an agent whose token is wrong once': { faults: [once('agent_wrong_token')] },
};

/** The deploy fails, and says in which phase, why, and what to do. */
const fatal: { readonly [title: string]: Fatal } = {
  'media that cannot be inserted at all': {
    faults: [{ name: 'media_insert_fails' }],
    phase: 'AttachBootMedia (tried repeatedly)',
    cause: /was refused with status 500/,
  },
  'an agent that never calls, also not after a second boot': {
    faults: [{ name: 'agent_never_calls' }],
    phase: 'WaitForAgent',
    cause: /Timeout reached while waiting for callback.* booted once more\. Look at the console/,
  },
  'a ramdisk that does not come up': {
    faults: [{ name: 'boot_fails' }],
    phase: 'WaitForAgent',
    cause: /Timeout reached while waiting for callback.* Look at the console/,
  },
  'an agent that dies while it writes the image': {
    faults: [once('agent_dies_while_writing')],
    phase: 'WriteImage',
    // If it died right after a call it is looked for, for minutes.
    cause: /callback.* fell silent in the middle of its work|\(tried repeatedly\): .*agent of node/,
  },
  'an agent whose step fails': {
    faults: [once('agent_command_fails', { op: 'deploy.execute_deploy_step' })],
    phase: 'WriteImage',
    cause: /deploy\.write_image failed: .*fault agent_command_fails/,
  },
  'an image that is not what it should be': {
    faults: [once('wrong_checksum')],
    phase: 'WriteImage',
    cause: /Error verifying image checksum/,
  },
};

const titles = [...Object.keys(survived), ...Object.keys(fatal)];
/** Machines for the tests below the tables. */
const others = 5;
const machineOf = (title: string): Machine => site.machines[titles.indexOf(title)]!;
const other = (index: number): Machine => site.machines[titles.length + index]!;
const tenantSecret = 'what-the-tenant-keeps-to-itself';
const wrongPassword = 'certainly-not-the-password';

let site: Site;

beforeAll(async () => {
  site = await startSite({
    machines: titles.length + others,
    profiles: 'plain,dell,hpe,supermicro,lenovo',
    env: {
      // Long enough for an agent on a busy machine: who misses it boots once more, which no row expects.
      INGOT_DEPLOY_CALLBACK_TIMEOUT: '60',
      INGOT_CLEAN_CALLBACK_TIMEOUT: '60',
      INGOT_BMC_READ_TIMEOUT_MS: '5000',
    },
  });
});

afterAll(async () => site?.stop());

/** Available without having been cleaned; cleaning comes after the deploy. */
const makeAvailable = async (machine: Machine) => {
  await site.enrol(machine, {}, { automated_clean: false });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
  await site.patch(machine, { '/automated_clean': true });
};

const deploy = async (machine: Machine) =>
  site.provision(machine, 'active', { configdrive: { user_data: tenantSecret } });

const expectClean = async (machine: Machine) => {
  const { disk, media, power, sessions, violations } = await site.evidence(machine);
  expect(disk).toMatchObject({ image: null, configdrive: null, residue: false });
  expect(Object.values(media).filter(Boolean)).toEqual([]);
  expect({ power, sessions, violations }).toEqual({ power: 'off', sessions: 0, violations: [] });
};

/** Gives the machine back: nothing of the tenant is left on it, and nothing of ours. */
const giveBack = async (machine: Machine) => {
  await site.provision(machine, 'deleted');
  expect(await site.reaches(machine, 'available')).toMatchObject({
    last_error: null,
    reservation: null,
    instance_info: {},
    power_state: 'power off',
  });
  await expectClean(machine);
};

/** Deploys with the faults on; answers the node where it ended, and what the machine saw. */
const deployWith = async (machine: Machine, faults: readonly Fault[], state: string) => {
  await makeAvailable(machine);
  for (const fault of faults) await site.fault(machine, fault);
  await deploy(machine);
  const node = await site.reaches(machine, state);
  const evidence = await site.evidence(machine);
  expect(evidence.violations).toEqual([]);
  // What was to happen so many times has happened.
  expect(evidence.faults.filter(({ count }) => count !== null)).toEqual([]);
  await site.mend(machine);
  return { node, evidence };
};

describe.concurrent('a deploy survives', () => {
  it.each(Object.keys(survived))('%s', async (title) => {
    const row = survived[title]!;
    const machine = machineOf(title);
    const { node, evidence } = await deployWith(machine, row.faults, 'active');
    expect(node.last_error).toBeNull();
    expect(evidence.disk.image?.sha256).toBe(site.images.demo_raw.sha256);
    expect(evidence.disk.configdrive?.files['openstack/latest/user_data']?.text).toBe(tenantSecret);
    expect(powerOns(evidence)).toBe(row.powerOns ?? 2);
    row.shows?.(evidence);
    await giveBack(machine);
  });
});

describe.concurrent('a deploy fails because of', () => {
  it.each(Object.keys(fatal))('%s', async (title) => {
    const { faults, phase, cause } = fatal[title]!;
    const machine = machineOf(title);
    const { node, evidence } = await deployWith(machine, faults, 'deploy failed');
    expect(node.last_error).toContain(`Deploy failed in ${phase}`);
    expect(node.last_error).toMatch(cause);
    expect(node.last_error).toMatch(
      /set the provision state to active to try again, or to deleted to give the machine/,
    );
    expect(node).toMatchObject({ reservation: null, power_state: 'power off', target_provision_state: 'active' });
    expect(evidence.power).toBe('off');
    await giveBack(machine);
  });
});

describe.concurrent('a BMC that must not be asked again', () => {
  it('gets a wrong password once, also when the machine is to be given back, and works again with the right one', async () => {
    const machine = other(0);
    await site.enrol(machine, { redfish_password: wrongPassword }, { automated_clean: false });
    await site.provision(machine, 'manage');
    const refused = await site.reaches(machine, 'enroll');
    expect(refused.last_error).toMatch(
      /^Verifying failed in ProbeBmc: .*401.* Check redfish_username and redfish_password/,
    );
    expect((await site.evidence(machine)).auth_failures).toBe(1);

    await site.patch(machine, { '/driver_info/redfish_password': machine.password });
    await site.provision(machine, 'manage');
    await site.reaches(machine, 'manageable');
    await site.provision(machine, 'provide');
    await site.reaches(machine, 'available');
    await site.patch(machine, { '/driver_info/redfish_password': wrongPassword, '/automated_clean': true });
    await deploy(machine);
    const failed = await site.reaches(machine, 'deploy failed');
    expect(failed.last_error).toMatch(/^Deploy failed in PowerOff: .*401/);
    expect((await site.evidence(machine)).auth_failures).toBe(2);

    await site.provision(machine, 'deleted');
    const stuck = await site.reaches(machine, 'error');
    expect(stuck.last_error).toMatch(/^Undeploy failed in PowerOff: .*401.* set the provision state to deleted again/);
    expect((await site.evidence(machine)).auth_failures).toBe(3);
    await site.patch(machine, { '/driver_info/redfish_password': machine.password });
    await giveBack(machine);
    expect((await site.evidence(machine)).auth_failures).toBe(3);
  });

  it('gets no credentials when its certificate has changed', async () => {
    const machine = other(1);
    await makeAvailable(machine);
    const before = await site.requests(machine);
    // Who changes whom to trust gives the password again.
    const trust = async (redfish_verify_ca: string) =>
      site.patch(machine, {
        '/driver_info/redfish_verify_ca': redfish_verify_ca,
        '/driver_info/redfish_password': machine.password,
      });
    await trust(`sha256:${'ab'.repeat(32)}`);
    await deploy(machine);
    const { last_error: error } = await site.reaches(machine, 'deploy failed');
    expect(error).toMatch(/^Deploy failed in PowerOff: .* fingerprint is not the pinned one. No credentials were sent/);
    expect(await site.requests(machine)).toEqual(before);
    await site.provision(machine, 'deleted');
    expect((await site.reaches(machine, 'error')).last_error).toContain('No credentials were sent');
    expect(await site.requests(machine)).toEqual(before);
    await trust(machine.certificate);
    await giveBack(machine);
  });

  it('is not at an address outside the allowed networks', async () => {
    const machine = other(2);
    await site.enrol(machine, { redfish_address: 'https://192.0.2.1' });
    await site.provision(machine, 'manage');
    const { last_error: error } = await site.reaches(machine, 'enroll');
    expect(error).toMatch(/^Verifying failed in ProbeBmc: .*outside the networks of the setting bmc_networks/);
  });
});

describe.concurrent('cleaning survives', () => {
  it('an override of the boot device that is passed over: the instance comes up instead of the ramdisk, once', async () => {
    const machine = other(3);
    await deployWith(machine, [], 'active');
    await site.fault(machine, once('boot_once_ignored'));
    await giveBack(machine);
    const { boots, faults } = await site.evidence(machine);
    expect(faults).toEqual([]);
    expect(boots.slice(-2)).toMatchObject([{ device: 'hdd' }, { result: 'ramdisk' }]);
  });
});

describe.concurrent('cleaning fails', () => {
  it('in a step: the node is out of service with the reason, and can be brought back', async () => {
    const machine = other(4);
    await deployWith(machine, [], 'active');
    await site.fault(machine, once('agent_command_fails', { op: 'clean.execute_clean_step' }));
    await site.provision(machine, 'deleted');
    const failed = await site.reaches(machine, 'clean failed');
    expect(failed).toMatchObject({ maintenance: true, instance_info: {}, reservation: null });
    expect(failed.last_error).toMatch(
      /^Cleaning failed in RunStep: .*erase_devices_metadata failed: .*unset maintenance/,
    );
    expect((await site.call('DELETE', `/v1/nodes/${machine.name}/maintenance`)).status).toBe(202);
    await site.provision(machine, 'manage');
    await site.reaches(machine, 'manageable');
    await site.provision(machine, 'provide');
    expect(await site.reaches(machine, 'available')).toMatchObject({ last_error: null });
    await expectClean(machine);
  });
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('after all that', () => {
  it('no password, link or tenant data is in the log, the events, the ledger or the journal', () => {
    const passwords = site.machines.map(({ password }) => password);
    const secrets = [...passwords, wrongPassword, tenantSecret, 'signature='];
    const files = filesBelow(site.folder).filter((path) => !path.includes('/keys/'));
    expect(files.map((path) => path.slice(site.folder.length))).toEqual(
      expect.arrayContaining(['/ingot.log', '/table.db', '/states.db']),
    );
    const find = (text: string) => files.filter((path) => readFileSync(path).includes(text));
    // Such a search does find what is there.
    expect(find(site.machines[0]!.username)).not.toEqual([]);
    expect(secrets.filter((secret) => find(secret).length > 0)).toEqual([]);
  });
});
