import { beforeEach, describe, expect, it } from 'vitest';

import { powerRequestKey, powerRequestOf } from '../../../../layers/store/power-requests.ts';
import { nameOf } from '../../../../layers/platform/memory/ids.ts';
import { aNode } from '../../../workflows/nodes.ts';
import { createFrontWithNodes, type Front } from './stored.ts';
import { createSystem } from './system.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const power = async (uuid: string, body: object, version = 'latest') =>
  front.request(`PUT /v1/nodes/${uuid}/states/power`, { version, body });

describe('PUT states/power', () => {
  it.each([
    ['power on', 'power on'],
    ['power off', 'power off'],
    ['rebooting', 'power on'],
    ['soft rebooting', 'power on'],
    ['soft power off', 'power off'],
  ])('%s heads for %s and starts a run with that request', async (target, becomes) => {
    const { uuid } = await front.store({ last_error: 'old', run: null });
    const answer = await power(uuid, { target, timeout: 90 });
    expect(answer).toMatchObject({ status: 202, body: undefined });
    expect(answer.headers['Location']).toBe(`http://metal.test/v1/nodes/${uuid}/states`);
    const { reservation: run } = await front.read(uuid);
    expect(run).toMatch(nameOf(uuid));
    const input = { node: uuid, target, timeout: 90 };
    expect(await front.read(uuid)).toMatchObject({
      run: null,
      generation: 1,
      target_power_state: becomes,
      power_state: null,
      last_error: null,
      provision_state: 'available',
    });
    expect(front.platform.workflows.started).toEqual([{ workflow: 'power', name: run, input }]);
    expect(powerRequestOf(await front.platform.table.get(powerRequestKey(uuid)), run!)).toEqual(input);
  });

  it('works in maintenance and while a run waits for its agent, which it does not take over', async () => {
    const { uuid } = await front.store({
      maintenance: true,
      provision_state: 'wait call-back',
      run: 'r',
      run_workflow: 'deploy',
    });
    expect((await power(uuid, { target: 'power off' })).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({
      run: 'r',
      run_workflow: 'deploy',
      reservation: expect.stringMatching(nameOf(uuid)) as string,
    });
  });

  it('takes its arguments from the query too', async () => {
    const { uuid } = await front.store();
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/power?target=power+on&timeout=5`);
    expect(answer.status).toBe(202);
    expect(front.platform.workflows.started).toMatchObject([{ input: { target: 'power on', timeout: 5 } }]);
  });

  it.each([[{ target: 'soft power off' }], [{ target: 'soft rebooting' }], [{ target: 'power off', timeout: 5 }]])(
    '%j needs 1.27',
    async (body) => {
      const { uuid } = await front.store();
      expect((await power(uuid, body, '1.26')).status).toBe(406);
      expect((await power(uuid, body, '1.27')).status).toBe(202);
    },
  );

  it.each([
    ['an unknown target', { target: 'explode' }, 'explode'],
    ['an inherited name', { target: 'constructor' }, 'constructor'],
    ['a timeout of nothing', { target: 'power on', timeout: 0 }, 'positive'],
    ['a negative timeout', { target: 'power on', timeout: -1 }, 'positive'],
    ['half a second', { target: 'power on', timeout: 0.5 }, 'timeout'],
    ['a timeout in words', { target: 'power on', timeout: 'long' }, 'timeout'],
    ['no target', {}, 'Missing mandatory parameter: target'],
    ['something else', { target: 'power on', bogus: 1 }, 'Unexpected arguments: bogus'],
  ])('%s is 400', async (_what, body, error) => {
    const node = await front.store();
    expect(await power(node.uuid, body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it.each(['cleaning', 'clean wait'] as const)('is 400 in %s, locked or not', async (state) => {
    for (const reservation of [null, 'r']) {
      const { uuid } = await front.store({ provision_state: state, reservation });
      expect(await power(uuid, { target: 'power on' })).toMatchObject({
        status: 400,
        error: expect.stringContaining(state),
      });
    }
  });

  it('is 409 on a locked node, and for powering off a node that must not be', async () => {
    const locked = await front.store({ reservation: 'r' });
    expect(await power(locked.uuid, { target: 'power on' })).toMatchObject({
      status: 409,
      error: expect.stringContaining('locked'),
    });
    const kept = await front.store({ disable_power_off: true });
    expect((await power(kept.uuid, { target: 'power off' })).status).toBe(409);
    expect((await power(kept.uuid, { target: 'soft power off' })).status).toBe(409);
    expect((await power(kept.uuid, { target: 'rebooting' })).status).toBe(202);
  });

  it('is 400 when driver_info does not say where the BMC is', async () => {
    const { uuid } = await front.store({ driver: 'redfish' });
    expect(await power(uuid, { target: 'power on' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('driver_info.redfish_address'),
    });
  });

  it('lets one of 50 clients win', async () => {
    const { uuid } = await front.store();
    const answers = await Promise.all(Array.from({ length: 50 }, async () => power(uuid, { target: 'power on' })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(front.platform.workflows.started).toHaveLength(1);
  });
});

describe('GET states', () => {
  it('shows the fields of the version and nothing else', async () => {
    const { uuid } = await front.store({ boot_mode: 'uefi', last_error: 'why' });
    const names = async (version: string) =>
      Object.keys((await front.request(`GET /v1/nodes/${uuid}/states`, { version })).body as object).sort();
    const base =
      'console_enabled last_error power_state provision_state provision_updated_at target_power_state target_provision_state'.split(
        ' ',
      );
    expect(await names('1.11')).toEqual(base);
    expect(await names('1.12')).toEqual([...base, 'raid_config', 'target_raid_config'].sort());
    expect(await names('1.75')).toEqual(
      [...base, 'raid_config', 'target_raid_config', 'boot_mode', 'secure_boot'].sort(),
    );
    const { body } = await front.request(`GET /v1/nodes/${uuid}/states`);
    expect(body).toMatchObject({
      provision_state: 'available',
      boot_mode: 'uefi',
      last_error: 'why',
      console_enabled: false,
      raid_config: {},
    });
  });

  it('answers while the node is locked, and shows old versions old states', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    const { body } = await front.request(`GET /v1/nodes/${uuid}/states`, { version: '1.1' });
    expect(body).toMatchObject({ provision_state: null });
  });
});

describe('a machine that must not be switched off', () => {
  const staysOn = aNode({ provision_state: 'active', disable_power_off: true });

  it.each([
    ['rebooting', 'Restart', 'hard'],
    ['soft rebooting', 'SoftRestart', 'soft'],
  ])('is restarted by %s and never without power', async (target, phase, how) => {
    const { stage, power } = await createSystem(staysOn);
    stage.machine.power = 'power on';
    await power(target);
    expect(stage.machine).toMatchObject({ power: 'power on', switched: 0, restarted: 1 });
    const asked = stage.proxy.requests.map(({ op, params }) => [op, params]);
    expect(asked).toEqual([
      ['power.restart', { how }],
      ['power.ensure', { target: 'power on' }],
    ]);
    expect((await stage.history()).join(' ')).toContain(`${phase} done`);
    expect(await stage.read()).toMatchObject({
      power_state: 'power on',
      target_power_state: null,
      reservation: null,
      last_error: null,
    });
  });

  it('is switched on by a reboot if it is off', async () => {
    const { stage, power } = await createSystem(staysOn);
    await power('rebooting');
    expect(stage.machine).toMatchObject({ power: 'power on', switched: 1, restarted: 0 });
    expect(await stage.read()).toMatchObject({ power_state: 'power on', last_error: null });
  });

  it('is restarted, too, by sync when the start was lost', async () => {
    const { stage, front } = await createSystem(staysOn);
    stage.machine.power = 'power on';
    const { start } = front.platform.workflows;
    front.platform.workflows.start = async () => Promise.reject(new Error('Step Functions is down'));
    const body = { target: 'rebooting' };
    expect((await front.request(`PUT /v1/nodes/${staysOn.uuid}/states/power`, { body })).status).toBe(202);
    front.platform.workflows.start = start;
    await stage.sync();
    await stage.settle();
    expect(stage.machine).toMatchObject({ switched: 0, restarted: 1 });
  });

  it('is restarted, too, for its BIOS settings and by the step reboot', async () => {
    const { stage, provision } = await createSystem({ ...staysOn, provision_state: 'manageable' });
    stage.machine.power = 'power on';
    const settings = [{ name: 'BootTimeout', value: 9 }];
    await provision('clean', {
      clean_steps: [
        { interface: 'bios', step: 'apply_configuration', args: { settings } },
        { interface: 'power', step: 'reboot', args: {} },
      ],
    });
    expect(await stage.read()).toMatchObject({
      provision_state: 'manageable',
      last_error: null,
      power_state: 'power on',
    });
    expect(stage.machine).toMatchObject({ power: 'power on', switched: 0, restarted: 2 });
  });

  it('is left on by a workflow that began before anybody said so', async () => {
    const { stage } = await createSystem(aNode());
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    expect(stage.machine).toMatchObject({ power: 'power on', switched: 1 });
    await stage.change({ disable_power_off: true });
    await stage.settle(3 * 3600);
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'deploy failed' });
    expect(node.last_error).toContain('must not be switched off (disable_power_off)');
    expect(stage.machine).toMatchObject({ power: 'power on', switched: 1 });
  });
});
