import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/power-sync/app.ts';
import { Config } from '../../../functions/power-sync/config.ts';
import type { PowerSeen, PowerSurvey } from '../../../layers/bmc/power-survey.ts';
import { noteTakeover } from '../../../layers/domain/baremetal/takeover.ts';
import { Fault, Unavailable } from '../../../layers/domain/fault.ts';
import { noNotes } from '../../../layers/domain/notes.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { listEvents } from '../../../layers/store/history.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { powerRequestKey, powerRequestOf } from '../../../layers/store/power-requests.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

const on: PowerSeen = { power: 'power on' };
const off: PowerSeen = { power: 'power off' };
const dead: PowerSeen = { fault: { name: 'BmcUnreachable', message: 'BMC 10.0.0.1 can not be reached.' } };

/** Nothing: what `sees` says. */
type Answer = (survey: PowerSurvey) => Promise<object | undefined> | undefined;

const invocation = { request_id: 'r', remaining_ms: () => 300_000 };

/** One machine, or those of `nodes`, and looks at them; `sees` answers for each machine. */
const fleet = async (more: Partial<StoredNode>[], env: object = {}) => {
  const script: { sees: PowerSeen | ((uuid: string) => PowerSeen | undefined); answer?: Answer } = { sees: on };
  const surveys: PowerSurvey[] = [];
  const seen = ({ nodes }: PowerSurvey) => ({
    seen: Object.fromEntries(
      nodes.flatMap((one) => {
        const found = typeof script.sees === 'function' ? script.sees(one) : script.sees;
        return found ? [[one, found]] : [];
      }),
    ),
  });
  const platform = createMemoryPlatform({
    handlers: {
      'bmc-proxy': async (payload) => {
        const survey = payload as PowerSurvey;
        surveys.push(survey);
        return (await script.answer?.(survey)) ?? seen(survey);
      },
    },
  });
  for (const one of more) await createRecord(platform, kinds.node, { ...aNode({ ...one, driver: 'redfish' }), ...one });
  const app = create(platform, Config.parse(environmentWith(env)));
  return {
    platform,
    script,
    surveys,
    look: async (at = invocation) => app({}, at),
    read: async (one = uuid) => (await readRecord(platform.table, kinds.node, one))!,
    change: async (set: Partial<StoredNode>) => changeRecord(platform, kinds.node, uuid, () => ({ set })),
    history: async () =>
      (await listEvents(platform.table, uuid, { sort_key: 'id', limit: 100 } as never)).map(
        ({ severity, event_type, event }) => [severity, event_type, event],
      ),
  };
};

const running = { provision_state: 'active', power_state: 'power on' } as const;
const forced = { INGOT_FORCE_POWER_STATE_DURING_SYNC: 'true' };
const givenUp = `During sync_power_state, max retries exceeded for node ${uuid}, node state None does not match expected state 'power on'. Updating DB state to 'None' Switching node to maintenance mode. Error: BMC 10.0.0.1 can not be reached.`;

describe('a machine that is as its node says', () => {
  it('costs one place in a batch, and nothing is written', async () => {
    const { look, read, surveys, platform } = await fleet([running]);
    const before = await read();
    expect(await look()).toEqual({ looked: 1, seen: 1, changed: 0 });
    expect(surveys).toEqual([{ survey: 'power', nodes: [uuid] }]);
    expect([await read(), platform.workflows.started]).toEqual([before, []]);
  });
});

describe('a machine that was switched by others', () => {
  it('is what its node says from then on', async () => {
    const { look, read, history, script, platform } = await fleet([running]);
    script.sees = off;
    expect(await look()).toEqual({ looked: 1, seen: 1, changed: 1 });
    expect(await read()).toMatchObject({ power_state: 'power off', reservation: null, maintenance: false });
    expect(await history()).toEqual([
      [
        'INFO',
        'monitoring',
        "The machine does not match expected state 'power on'. Updating recorded state to 'power off'.",
      ],
    ]);
    expect(platform.workflows.started).toEqual([]);
    script.sees = on;
    await look();
    expect(await read()).toMatchObject({ power_state: 'power on' });
  });

  it('has no agent any more when it is off', async () => {
    const { look, read, script } = await fleet([
      { ...running, provision_state: 'rescue', driver_internal_info: { agent_url: 'https://10.0.0.9' } },
    ]);
    script.sees = off;
    await look();
    expect((await read()).driver_internal_info).toEqual({});
  });

  it('is noted as it is found where nothing was known, whatever is set', async () => {
    const { look, read, history, platform } = await fleet([{ power_state: null }], forced);
    await look();
    expect([(await read()).power_state, platform.workflows.started]).toEqual(['power on', []]);
    expect(await history()).toMatchObject([
      ['INFO', 'monitoring', "The machine has no previous known state. Recording current state 'power on'."],
    ]);
  });

  it('is switched back by a run of its own, if that is set', async () => {
    const { look, read, history, script, platform } = await fleet([running], forced);
    script.sees = off;
    await look();
    const { reservation, ...node } = await read();
    expect(node).toMatchObject({ power_state: 'power on', target_power_state: 'power on', generation: 1 });
    const request = { node: uuid, target: 'power on', timeout: null };
    expect(platform.workflows.started).toEqual([{ workflow: 'power', name: reservation, input: request }]);
    expect(powerRequestOf(await platform.table.get(powerRequestKey(uuid)), reservation!)).toEqual(request);
    expect(await history()).toMatchObject([['INFO', 'monitoring', expect.stringContaining('Changing hardware state')]]);
    // The run works on it; a look now leaves it alone.
    expect(await look()).toEqual({ looked: 0, seen: 0, changed: 0 });
  });

  it('is switched back by sync, if the look died before it began the run', async () => {
    const { look, read, script, platform } = await fleet([running], forced);
    script.sees = off;
    platform.workflows.start = async () => Promise.reject(Unavailable('gone'));
    await look();
    const { reservation } = await read();
    expect(powerRequestOf(await platform.table.get(powerRequestKey(uuid)), reservation!)).toMatchObject({
      target: 'power on',
    });
  });

  it('is taken out of service when it does not let itself be switched back', async () => {
    const { look, read, script, platform, change } = await fleet([running], forced);
    script.sees = off;
    for (let at = 1; at <= 3; at += 1) {
      await look();
      expect((await read()).driver_internal_info).toMatchObject({ power_sync_failures: at });
      // The run ends in vain.
      await change({ reservation: null, target_power_state: null, last_error: 'in vain' });
    }
    await look();
    expect(platform.workflows.started).toHaveLength(3);
    const sentence = `During sync_power_state, max retries exceeded for node ${uuid}, node state power off does not match expected state 'power on'. Updating DB state to 'power off' Switching node to maintenance mode.`;
    expect(await read()).toMatchObject({
      power_state: 'power off',
      maintenance: true,
      fault: 'power failure',
      maintenance_reason: sentence,
      last_error: sentence,
      reservation: null,
    });
  });

  it('is not counted any more once it is as it should be', async () => {
    const { look, read, script, change } = await fleet([running], forced);
    script.sees = off;
    await look();
    await change({ reservation: null, target_power_state: null });
    script.sees = on;
    await look();
    expect((await read()).driver_internal_info).toEqual({});
  });

  it('is not switched back if it must never be switched off', async () => {
    const node = { ...running, power_state: 'power off', disable_power_off: true } as const;
    const { look, read, platform } = await fleet([node], forced);
    await look();
    expect([(await read()).power_state, platform.workflows.started]).toEqual(['power on', []]);
  });
});

describe('a BMC that does not answer', () => {
  it('is asked four times; then the node is out of service, as Ironic says it', async () => {
    const { look, read, history, script } = await fleet([running]);
    script.sees = dead;
    for (let at = 1; at <= 3; at += 1) {
      await look();
      expect(await read()).toMatchObject({
        power_state: 'power on',
        maintenance: false,
        driver_internal_info: { power_sync_failures: at },
      });
    }
    await look();
    expect(await read()).toMatchObject({
      power_state: null,
      maintenance: true,
      maintenance_reason: givenUp,
      last_error: givenUp,
      fault: 'power failure',
      driver_internal_info: {},
    });
    expect(await history()).toEqual([['ERROR', 'monitoring', givenUp]]);
    const before = await read();
    await look();
    expect(await read()).toEqual(before);
  });

  it('is put back into service by itself when it answers again', async () => {
    const { look, read, history, script } = await fleet([running], { INGOT_POWER_STATE_SYNC_MAX_RETRIES: '0' });
    script.sees = dead;
    await look();
    script.sees = off;
    await look();
    expect(await read()).toMatchObject({
      power_state: 'power off',
      maintenance: false,
      maintenance_reason: null,
      fault: null,
      last_error: null,
    });
    expect((await history()).at(-1)).toEqual([
      'INFO',
      'monitoring',
      `Node ${uuid} is recovered from power failure with actual power state 'power off'.`,
    ]);
  });

  it('counts from the beginning after it has answered once', async () => {
    const { look, read, script } = await fleet([running]);
    script.sees = dead;
    await look();
    await look();
    script.sees = on;
    await look();
    expect((await read()).driver_internal_info).toEqual({});
    script.sees = dead;
    await look();
    expect((await read()).driver_internal_info).toEqual({ power_sync_failures: 1 });
  });

  it('fails as well if it says neither on nor off', async () => {
    const { look, read, script } = await fleet([running], { INGOT_POWER_STATE_SYNC_MAX_RETRIES: '0' });
    script.sees = { power: null };
    await look();
    expect(await read()).toMatchObject({
      fault: 'power failure',
      last_error: expect.stringContaining('Error: The BMC says neither') as string,
    });
  });

  it.each([
    ['the proxy itself failed', { fault: { name: 'ProxyFailed', message: 'x' } }],
    ['it is gone', { fault: { name: 'NotFound', message: 'x' } }],
    ['its password cannot be opened', { fault: { name: 'Unsealable', message: 'x' } }],
    ['its turn did not come', undefined],
  ] as const)('is not to blame when %s', async (_why, seen) => {
    const { look, read, script } = await fleet([running], { INGOT_POWER_STATE_SYNC_MAX_RETRIES: '0' });
    const before = await read();
    script.sees = () => seen;
    await look();
    expect(await read()).toEqual(before);
  });

  it('is not to blame for a node of which nothing was ever known and nothing can be', async () => {
    const { look, read, script } = await fleet([{ power_state: null }], { INGOT_POWER_STATE_SYNC_MAX_RETRIES: '0' });
    const before = await read();
    script.sees = { fault: { name: 'InvalidCommand', message: 'Missing: driver_info.redfish_address' } };
    await look();
    expect(await read()).toEqual(before);
  });
});

describe('left alone', () => {
  const run = `${uuid}-1`;
  it.each<[string, Partial<StoredNode>]>([
    ['one that is locked', { ...running, reservation: run }],
    ['one in the middle of a run', { ...running, provision_state: 'clean wait', run, run_workflow: 'clean' }],
    ['one that is being switched', { ...running, target_power_state: 'power off' }],
    ['one that an operator took out of service', { ...running, maintenance: true }],
    ['one that another fault took out of service', { ...running, maintenance: true, fault: 'clean failure' }],
    ['one that nobody has verified', { ...running, provision_state: 'enroll' }],
    ['one that was not adopted', { ...running, provision_state: 'adopt failed' }],
    ['one that is not real', { ...running, driver: 'fake-hardware', power_interface: 'fake' }],
    ['one that was moved in with a driver of others', { ...running, driver: 'ipmi', power_interface: 'ipmitool' }],
    ['one that is takeover_pending', { ...running, ...noteTakeover(noNotes, 'pending', '2026-01-01T00:00:00+00:00') }],
  ])('is %s', async (_what, node) => {
    const { look, read, surveys, script } = await fleet([node], forced);
    const before = await read();
    script.sees = off;
    expect(await look()).toEqual({ looked: 0, seen: 0, changed: 0 });
    expect([await read(), surveys]).toEqual([before, []]);
  });

  it.each<[string, Partial<StoredNode>]>([
    ['locked', { reservation: run }],
    ['switched', { generation: 2, power_state: 'power on' }],
    ['taken out of service', { maintenance: true }],
  ])('is one that was %s while its BMC was asked', async (_what, set) => {
    const { look, read, script, change } = await fleet([running], forced);
    script.sees = off;
    script.answer = async () => {
      await change(set);
      return undefined;
    };
    await look();
    expect(await read()).toMatchObject({ ...running, ...set, target_power_state: null });
  });

  it('keeps the maintenance that an operator set in the place of a power failure', async () => {
    const { look, read, change } = await fleet([{ ...running, maintenance: true, fault: 'power failure' }]);
    await change({ maintenance: true, maintenance_reason: 'mine', fault: null });
    await look();
    expect(await read()).toMatchObject({ maintenance: true, maintenance_reason: 'mine' });
  });
});

describe('two looks at once', () => {
  it('count one failure once', async () => {
    const { look, read, script, surveys } = await fleet([running]);
    script.sees = dead;
    const both = Promise.withResolvers<undefined>();
    script.answer = async () => {
      if (surveys.length === 2) both.resolve(undefined);
      return both.promise;
    };
    await Promise.all([look(), look()]);
    expect((await read()).driver_internal_info).toEqual({ power_sync_failures: 1 });
  });

  it('begin one run', async () => {
    const { look, script, surveys, platform } = await fleet([running], forced);
    script.sees = off;
    const both = Promise.withResolvers<undefined>();
    script.answer = async () => {
      if (surveys.length === 2) both.resolve(undefined);
      return both.promise;
    };
    await Promise.all([look(), look()]);
    expect(platform.workflows.started).toHaveLength(1);
  });
});

describe('a large fleet', () => {
  const idOf = (at: number) => `6b9cd1a4-0c1f-4d0e-9f5c-${String(at).padStart(12, '0')}`;
  const nodes = (count: number, more: (at: number) => Partial<StoredNode> = () => ({})) =>
    Array.from({ length: count }, (_, at) => ({
      ...running,
      uuid: idOf(at),
      position: `010000000000000000000${String(at).padStart(5, '0')}`,
      ...more(at),
    }));

  it('is asked for in batches, those that did not answer the last time in the last ones', async () => {
    const doubtful = (at: number) => (at < 5 ? { driver_internal_info: { power_sync_failures: 1 } } : {});
    const { look, surveys } = await fleet(nodes(230, doubtful));
    expect(await look()).toMatchObject({ looked: 230, seen: 230 });
    expect(surveys.map(({ nodes: asked }) => asked.length)).toEqual([100, 100, 25, 5]);
    expect(surveys.at(-1)!.nodes.toSorted()).toEqual([0, 1, 2, 3, 4].map(idOf));
  });

  it('goes on with the others when one batch cannot be asked for', async () => {
    const { look, script, surveys, platform } = await fleet(nodes(150));
    script.sees = off;
    script.answer = () => {
      if (surveys.length === 1) throw new Fault('Unavailable', 503, 'Function bmc-proxy could not be called.');
      return undefined;
    };
    expect(await look()).toMatchObject({ looked: 150, seen: 50, changed: 50 });
    expect(platform.log.lines.some(({ message }) => message.includes('could not be read'))).toBe(true);
  });

  it('is left for the next time as far as there is no time for it', async () => {
    const { look, surveys } = await fleet(nodes(10));
    expect(await look({ ...invocation, remaining_ms: () => 100_000 })).toEqual({ looked: 0, seen: 0, changed: 0 });
    expect(surveys).toEqual([]);
  });
});
