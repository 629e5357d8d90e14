/**
 * Somebody who reaches the API, knows every MAC, UUID and BMC address, and has no credentials: whatever he sends while
 * machines are worked on, the work ends as if he were not there (ADR 9).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { sleep } from './system.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: 5, profiles: 'plain,dell,lenovo,plain,supermicro', env: {} });
});

afterAll(async () => site?.stop());

const files = { meta_data: { hostname: 'hers' }, user_data: 'secret of the tenant' };

const available = async (machine: Machine, info: object = {}, more: object = {}) => {
  await site.enrol(machine, info, more);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
};

const historyOf = async ({ name }: Machine): Promise<string[]> => {
  const { body } = await site.call('GET', `/v1/nodes/${name}/history?detail=true`);
  return (body['history'] as { event: string }[]).map(({ event }) => event);
};

type Token = { readonly body: { config?: { agent_token?: string } } };

/** Tries, again and again until told to stop, all that needs no password; what he was given, by status. */
const attack = (machine: Machine) => {
  const state = { over: false };
  const seen = { tokens: new Set<string>(), beats: new Set<number>(), inventories: new Set<number>() };
  const beat = async (agent_token: string) => {
    // As long as the certificate and the address are the stranger's, whatever is sent to the agent is sent to him.
    const callback_url = 'https://127.0.0.1:1/stranger';
    const { status } = await site.call('POST', `/v1/heartbeat/${machine.name}`, {
      callback_url,
      agent_version: '9',
      agent_token,
    });
    seen.beats.add(status);
  };
  const run = async () => {
    while (!state.over) {
      const { body } = (await site.call('GET', `/v1/lookup?addresses=${machine.mac}`)) as Token;
      const token = body.config?.agent_token;
      if (token !== undefined) seen.tokens.add(token);
      await beat(token ?? 'x'.repeat(64));
      const interfaces = [{ name: 'eth0', mac_address: '66:66:66:66:66:66' }];
      const inventory = { interfaces, cpu: { count: 9999, architecture: 'evil' }, bmc_address: '127.0.0.1' };
      const { status } = await site.call('POST', '/v1/continue_inspection', { inventory });
      seen.inventories.add(status);
      await sleep(20);
    }
  };
  const ended = run();
  return async () => {
    state.over = true;
    await ended;
    return { tokens: [...seen.tokens], beats: [...seen.beats], inventories: [...seen.inventories] };
  };
};

/** He was told that a token exists, at most, and was refused all else. */
const nothing = { tokens: ['******'], beats: [404], inventories: [404] };

describe.concurrent('a stranger who knows all addresses', () => {
  it.each([0, 1, 2])('gains nothing from a deploy, nor from the cleaning before and after (machine %i)', async (at) => {
    const machine = site.machines[at]!;
    const stop = attack(machine);
    await available(machine);
    await site.provision(machine, 'provide');
    await site.reaches(machine, 'available');
    await site.provision(machine, 'active', { configdrive: files });
    await site.reaches(machine, 'active');
    const { disk } = await site.evidence(machine);
    expect(disk.image).toMatchObject({ sha256: site.images.demo_raw.sha256 });
    expect(disk.configdrive?.files['openstack/latest/user_data']?.text).toBe(files.user_data);
    await site.provision(machine, 'deleted');
    await site.reaches(machine, 'available');
    expect((await site.evidence(machine)).disk).toMatchObject({ image: null, residue: false });
    expect(await stop()).toEqual(nothing);
    expect(await historyOf(machine)).toContain('Refused to 127.0.0.1: a heartbeat without the token of its agent.');
  });

  it('plants neither properties nor ports in an inspection', async () => {
    const machine = site.machines[3]!;
    await available(machine, {}, { inspect_interface: 'agent' });
    const stop = attack(machine);
    await site.provision(machine, 'inspect');
    await site.reaches(machine, 'manageable');
    const { properties, uuid } = (await site.node(machine)) as { properties?: Record<string, unknown>; uuid: string };
    expect(properties).toMatchObject({ cpu_arch: 'x86_64' });
    expect(properties!['cpus']).not.toBe(9999);
    const { body } = await site.call('GET', `/v1/nodes/${uuid}/ports`);
    expect((body['ports'] as { address: string }[]).map(({ address }) => address)).toEqual([machine.mac]);
    expect((await stop()).inventories).toEqual([404]);
    expect(await historyOf(machine)).toContain(
      'Refused to 127.0.0.1: an inventory without the key that the ramdisk has on its medium.',
    );
  });

  it('is warned of where the machine has one drive, and gets no token before the machine is on', async () => {
    const machine = site.machines[4]!;
    await available(machine, { deploy_iso: site.images.plain_iso });
    const { body } = await site.call('GET', `/v1/nodes/${machine.name}/validate`);
    expect(body['boot']).toEqual({ result: true, reason: expect.stringContaining('one virtual drive only') });
    const before: number[] = [];
    const watch = async () => {
      while ((await site.node(machine)).power_state !== 'power on') {
        before.push((await site.call('GET', `/v1/lookup?addresses=${machine.mac}`)).status);
        await sleep(20);
      }
    };
    await site.provision(machine, 'provide');
    await Promise.all([watch(), site.reaches(machine, 'available')]);
    expect(new Set(before.slice(0, -1))).toEqual(new Set([404]));
    expect(await historyOf(machine)).toContainEqual(expect.stringMatching(/token was given to 127\.0\.0\.1/));
  });
});
