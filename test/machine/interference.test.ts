/** What people do to a node while a run works on it or waits for its agent. One machine for each story, all at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { sleep, until } from './system.ts';

let site: Site;
let taken = 0;

beforeAll(async () => {
  site = await startSite({ machines: 10, profiles: 'plain,dell,hpe,supermicro,lenovo', env: {} });
});

afterAll(async () => site?.stop());

const nextMachine = (): Machine => {
  taken += 1;
  return site.machines[taken - 1]!;
};

const put = async ({ name }: Machine, what: string, body: object) =>
  (await site.call('PUT', `/v1/nodes/${name}/${what}`, body)).status;
const remove = async ({ name }: Machine, what = '') => (await site.call('DELETE', `/v1/nodes/${name}${what}`)).status;

/** A machine whose node is available, never cleaned. */
const available = async (): Promise<Machine> => {
  const machine = nextMachine();
  await site.enrol(machine, {}, { automated_clean: false });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
  return machine;
};

/** The deploy waits for an agent that does not call. */
const waiting = async (): Promise<Machine> => {
  const machine = await available();
  await site.fault(machine, { name: 'agent_never_calls' });
  await site.provision(machine, 'active');
  await site.reaches(machine, 'wait call-back');
  return machine;
};

/** Cleaning waits for an agent that does not call. */
const cleanWaiting = async (): Promise<Machine> => {
  const machine = nextMachine();
  await site.enrol(machine);
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.fault(machine, { name: 'agent_never_calls' });
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'clean wait');
  return machine;
};

const expectAtRest = async (machine: Machine) => {
  const { disk, media, power, sessions, violations } = await site.evidence(machine);
  expect({ power, sessions, violations }).toEqual({ power: 'off', sessions: 0, violations: [] });
  expect(disk).toMatchObject({ image: null, configdrive: null });
  expect(Object.values(media).filter(Boolean)).toEqual([]);
};

const unlocked = async (machine: Machine) =>
  until(`${machine.name} to be unlocked`, async () => {
    const node = await site.node(machine);
    return node.reservation === null && node;
  });

describe.concurrent('while a deploy waits for its agent', () => {
  it('`deleted` gives the machine back', async () => {
    const machine = await waiting();
    await site.provision(machine, 'deleted');
    expect(await site.reaches(machine, 'available')).toMatchObject({ last_error: null, instance_info: {} });
    await expectAtRest(machine);
  });

  it('`abort` ends it and switches the machine off; then it can be deployed', async () => {
    const machine = await waiting();
    await site.provision(machine, 'abort');
    expect((await site.reaches(machine, 'deploy failed')).last_error).toContain('aborted by request');
    expect(await unlocked(machine)).toMatchObject({ power_state: 'power off', maintenance: false });
    await site.mend(machine);
    await site.provision(machine, 'active');
    expect(await site.reaches(machine, 'active')).toMatchObject({ last_error: null });
  });

  it('it can be rebooted, and goes on when the agent calls after that', async () => {
    const machine = await waiting();
    await site.mend(machine);
    expect(await put(machine, 'states/power', { target: 'rebooting' })).toBe(202);
    await site.reaches(machine, 'active');
    expect((await site.evidence(machine)).power_timeline.filter(({ to }) => to === 'On')).toHaveLength(3);
  });

  it('it can be switched off, which the deploy survives until somebody gives it up', async () => {
    const machine = await waiting();
    expect(await put(machine, 'states/power', { target: 'power off' })).toBe(202);
    expect(await unlocked(machine)).toMatchObject({ power_state: 'power off', provision_state: 'wait call-back' });
    await site.provision(machine, 'deleted');
    await site.reaches(machine, 'available');
    await expectAtRest(machine);
  });

  it('maintenance lets it rest and no longer; the node is not deleted, nor deployed twice', async () => {
    const machine = await available();
    await site.provision(machine, 'active');
    await site.reaches(machine, 'wait call-back');
    expect(await put(machine, 'maintenance', { reason: 'a look at the cables' })).toBe(202);
    const called = await until('a heartbeat', async () => {
      const node = await site.node(machine);
      return node.driver_internal_info['agent_url'] !== undefined && node;
    });
    expect(called).toMatchObject({ provision_state: 'wait call-back', maintenance: true });
    expect(await put(machine, 'states/provision', { target: 'active' })).toBe(400);
    await sleep(2500);
    expect((await site.node(machine)).provision_state).toBe('wait call-back');
    expect(await remove(machine, '/maintenance')).toBe(202);
    await site.reaches(machine, 'active');
  });
});

describe.concurrent('while a deploy is at work', () => {
  it('the node is locked: no delete, no maintenance, no power action, no second deploy', async () => {
    const machine = await available();
    await site.fault(machine, { name: 'bmc_slow', seconds: 40 });
    await site.provision(machine, 'active');
    const { body } = await site.call('GET', `/v1/nodes/${machine.name}`);
    expect(body).toMatchObject({ provision_state: 'deploying', reservation: expect.any(String) as string });
    const statuses = await Promise.all([
      remove(machine),
      put(machine, 'maintenance', {}),
      put(machine, 'states/power', { target: 'power off' }),
      put(machine, 'states/provision', { target: 'active' }),
      put(machine, 'states/provision', { target: 'deleted' }),
    ]);
    expect(statuses).toEqual([409, 409, 409, 409, 409]);
    await site.mend(machine);
    await site.reaches(machine, 'active');
  });

  it('of ten requests for it at once, one is accepted', async () => {
    const machine = await available();
    const ask = async () => put(machine, 'states/provision', { target: 'active' });
    const statuses = await Promise.all(Array.from({ length: 10 }, ask));
    const count = (status: number) => statuses.filter((each) => each === status).length;
    // Who waits for the lock and gets it finds a deploy that waits for its agent, which cannot be begun anew.
    expect([count(202), count(409) + count(400)]).toEqual([1, 9]);
    await site.reaches(machine, 'active');
    expect((await site.evidence(machine)).power_timeline.filter(({ to }) => to === 'On')).toHaveLength(2);
  });
});

describe.concurrent('while cleaning waits for its agent', () => {
  it('`abort` ends it and switches the machine off; managed and provided again, it is cleaned', async () => {
    const machine = await cleanWaiting();
    await site.provision(machine, 'abort');
    expect((await site.reaches(machine, 'clean failed')).last_error).toContain('aborted by request');
    expect(await unlocked(machine)).toMatchObject({ power_state: 'power off', maintenance: false });
    await site.mend(machine);
    await site.provision(machine, 'manage');
    await site.reaches(machine, 'manageable');
    await site.provision(machine, 'provide');
    expect(await site.reaches(machine, 'available')).toMatchObject({ last_error: null });
    await expectAtRest(machine);
  });

  it('power actions and deletion are refused', async () => {
    const machine = await cleanWaiting();
    expect(await put(machine, 'states/power', { target: 'power off' })).toBe(400);
    expect(await remove(machine)).toBe(409);
    expect((await site.node(machine)).provision_state).toBe('clean wait');
  });
});
