import { beforeEach, describe, expect, it } from 'vitest';

import { openParts } from '../../../../layers/bmc/sealed-parts.ts';
import { drop, note, notesUntil } from '../../../../layers/domain/notes.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { nameOf } from '../../../../layers/platform/memory/ids.ts';
import { everyNote, strangeNotes } from '../../../fakes/notes.ts';
import { createFrontWithNodes, imageInfo, redfishInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const erase = { interface: 'deploy', step: 'erase_devices' } as const;
const reset = { interface: 'bios', step: 'factory_reset' };
const turbo = { interface: 'bios', step: 'apply_configuration', args: { settings: [{ name: 'A', value: 'B' }] } };

const manageable = async (values: Partial<StoredNode> = {}) =>
  front.storeReady({ provision_state: 'manageable', ...values });
const active = async (values: Partial<StoredNode> = {}) => front.storeReady({ provision_state: 'active', ...values });

describe('clean', () => {
  it('begins a run whose plan is on the node, and heads for manageable', async () => {
    const { uuid } = await manageable({
      driver_internal_info: { ...strangeNotes, clean_step_index: 4, ramdisk_boots: 2 },
    });
    const answer = await front.provision(uuid, 'clean', { clean_steps: [turbo, erase] });
    expect(answer).toMatchObject({ status: 202, body: undefined });
    expect(await front.read(uuid)).toMatchObject({
      provision_state: 'cleaning',
      target_provision_state: 'manageable',
      run: expect.stringMatching(nameOf(uuid)) as string,
      run_workflow: 'clean',
      reservation: expect.stringMatching(nameOf(uuid)) as string,
    });
    expect((await front.read(uuid)).driver_internal_info).toEqual({
      ...strangeNotes,
      clean_steps: [turbo, { ...erase, args: {} }],
    });
    const { run: name } = await front.read(uuid);
    expect(front.platform.workflows.started).toEqual([{ workflow: 'clean', name, input: { node: uuid } }]);
  });

  it('keeps the secrets in arguments sealed, at any depth', async () => {
    const { uuid } = await manageable();
    const args = { users: [{ name: 'a', sys_pswd: 'hunter2' }], bmc_password: { new: 'hunter3' } };
    await front.provision(uuid, 'clean', { clean_steps: [{ ...erase, args }] });
    const kept = note(await front.read(uuid), 'clean_steps');
    expect(JSON.stringify([front.platform.table.items(), front.platform.log.lines])).not.toContain('hunter');
    expect(await openParts(front.platform.opener, 'step_argument', kept, () => undefined)).toEqual([
      { ...erase, args },
    ]);
  });

  it.each([
    ['no list', { clean_steps: {} }, 'clean_steps'],
    ['an unknown interface', { clean_steps: [{ interface: 'coffee', step: 'x' }] }, 'clean_steps.0.interface'],
    ['no step', { clean_steps: [{ interface: 'deploy' }] }, 'clean_steps.0.step'],
    ['a stray key', { clean_steps: [{ ...erase, when: 'now' }] }, 'when'],
    ['a vendor step that is not allowed', { clean_steps: [{ interface: 'vendor', step: 'send_raw' }] }, 'send_raw'],
    [
      'missing arguments',
      { clean_steps: [{ ...turbo, args: {} }] },
      'Missing mandatory parameter: step bios.apply_configuration: args.settings',
    ],
    [
      'arguments of a reserved step',
      { clean_steps: [{ interface: 'power', step: 'reboot', args: { x: 1 } }] },
      'reboot',
    ],
    ['steps on child nodes', { clean_steps: [{ ...erase, execute_on_child_nodes: true }] }, 'child nodes'],
    ['a step of the ramdisk without one', { clean_steps: [erase], disable_ramdisk: true }, 'disable_ramdisk forbids'],
    ['a strange disable_ramdisk', { clean_steps: [reset], disable_ramdisk: 'maybe' }, 'disable_ramdisk'],
  ])('with %s is 400 that names it, and changes nothing', async (_what, body, message) => {
    const node = await manageable();
    expect(await front.provision(node.uuid, 'clean', body)).toMatchObject({
      status: 400,
      error: expect.stringContaining(message),
    });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it.each([
    ['an interface that the node has not', { bios_interface: 'no-bios' }, [reset], 'bios step factory_reset'],
    ['a machine that must stay on', { disable_power_off: true }, [erase], 'disable_power_off'],
    ['no ramdisk to boot', { driver_info: { ...redfishInfo, deploy_iso: '' } }, [erase], 'driver_info.deploy_iso'],
  ] as const)('of a node with %s is 400', async (_what, values, steps, message) => {
    const { uuid } = await manageable(values);
    expect(await front.provision(uuid, 'clean', { clean_steps: steps })).toMatchObject({
      status: 400,
      error: expect.stringContaining(message),
    });
  });

  it('needs no ramdisk image for steps of the BMC', async () => {
    const { uuid } = await manageable({ driver_info: { ...redfishInfo, deploy_iso: '' } });
    const body = { clean_steps: [reset], disable_ramdisk: 'true' };
    expect((await front.provision(uuid, 'clean', body)).status).toBe(202);
  });

  it('is refused in maintenance', async () => {
    const { uuid } = await manageable({ maintenance: true });
    expect((await front.provision(uuid, 'clean', { clean_steps: [reset] })).status).toBe(400);
  });
});

describe('service', () => {
  it('begins a run whose plan is on the node', async () => {
    const { uuid } = await active();
    expect((await front.provision(uuid, 'service', { service_steps: [erase] })).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({
      provision_state: 'servicing',
      target_provision_state: 'active',
      run_workflow: 'service',
      driver_internal_info: { service_steps: [{ ...erase, args: {} }] },
    });
  });

  it('takes the place of every other plan, and knows still whether the ramdisk was booted', async () => {
    const node = await active({ driver_internal_info: { ...everyNote, ...strangeNotes } });
    expect((await front.provision(node.uuid, 'service', { service_steps: [reset] })).status).toBe(202);
    const { driver_internal_info: info } = drop(node, ...notesUntil('plan'));
    expect((await front.read(node.uuid)).driver_internal_info).toEqual({
      ...info,
      service_steps: [{ ...reset, args: {} }],
    });
    expect(info).toHaveProperty('ramdisk_boots');
  });

  it('does not take the place of an instance that runs from virtual media', async () => {
    const { uuid } = await active({ deploy_interface: 'ramdisk' });
    expect(await front.provision(uuid, 'service', { service_steps: [erase] })).toMatchObject({
      status: 400,
      error: expect.stringContaining('virtual media'),
    });
    expect((await front.provision(uuid, 'service', { service_steps: [reset] })).status).toBe(202);
  });

  it.each(['service wait', 'service hold', 'service failed'] as const)(
    'abort in "%s" starts the way back, in "service failed" until it is over',
    async (state) => {
      const { uuid } = await active({
        provision_state: state,
        target_provision_state: 'active',
        service_step: { step: 'burnin_cpu', abortable: true },
        driver_internal_info: { service_steps: [{ ...erase, args: {} }], service_step_index: 0, ramdisk_boots: 1 },
      });
      expect((await front.provision(uuid, 'abort')).status).toBe(202);
      expect(await front.read(uuid)).toMatchObject({
        provision_state: 'service failed',
        target_provision_state: 'active',
        run: expect.stringMatching(nameOf(uuid)) as string,
        run_workflow: 'service',
        service_step: {},
        driver_internal_info: { ramdisk_boots: 1 },
      });
      expect(front.platform.workflows.started).toMatchObject([{ workflow: 'service' }]);
    },
  );

  it('abort after a failure is 409 as long as the node is in maintenance', async () => {
    const { uuid } = await active({ provision_state: 'service failed', maintenance: true, fault: 'service failure' });
    expect(await front.provision(uuid, 'abort')).toMatchObject({
      status: 409,
      error: expect.stringContaining('Unset maintenance'),
    });
  });

  it('abort in a step that must not be interrupted is 400', async () => {
    const { uuid } = await active({
      provision_state: 'service wait',
      service_step: { step: 'update_firmware', abortable: false },
    });
    expect(await front.provision(uuid, 'abort')).toMatchObject({
      status: 400,
      error: expect.stringContaining('update_firmware'),
    });
  });

  it('deleted takes a node away from a service, with all that was noted of it', async () => {
    const { uuid } = await active({ provision_state: 'service failed', target_provision_state: 'active' });
    expect((await front.provision(uuid, 'deleted')).status).toBe(202);
    expect((await front.read(uuid)).provision_state).toBe('deleting');
  });
});

describe('unhold', () => {
  it.each([
    ['clean hold', 'clean wait', 'clean'],
    ['deploy hold', 'wait call-back', 'deploy'],
    ['service hold', 'service wait', 'service'],
  ] as const)('%s -> %s, and a new run of %s goes on', async (from, to, workflow) => {
    const { uuid } = await active({ provision_state: from, target_provision_state: 'active', generation: 7 });
    expect((await front.provision(uuid, 'unhold')).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({
      provision_state: to,
      target_provision_state: 'active',
      reservation: null,
      run: expect.stringMatching(nameOf(uuid)) as string,
      run_workflow: workflow,
      generation: 8,
    });
    const { run: name } = await front.read(uuid);
    expect(front.platform.workflows.started).toEqual([{ workflow, name, input: { node: uuid } }]);
  });
});

describe('deploy_steps', () => {
  const boot = { interface: 'management', step: 'set_boot_mode', args: { mode: 'uefi' }, priority: 90 };

  /** The notes; that of the guest document is another story. */
  const stepsOf = async (uuid: string) => drop(await front.read(uuid), 'guest_metadata_stale').driver_internal_info;

  it('are kept for the deploy; those of an earlier request are forgotten', async () => {
    const { uuid } = await front.storeReady({
      driver_internal_info: { ...strangeNotes, user_deploy_steps: [{ ...erase, args: {} }] },
    });
    expect((await front.provision(uuid, 'active', { deploy_steps: [{ ...boot, priority: '90' }] })).status).toBe(202);
    expect(await stepsOf(uuid)).toEqual({ ...strangeNotes, user_deploy_steps: [boot] });
    const other = await front.storeReady({ driver_internal_info: { user_deploy_steps: [{ ...erase, args: {} }] } });
    expect((await front.provision(other.uuid, 'active')).status).toBe(202);
    expect(await stepsOf(other.uuid)).toEqual({});
  });

  it.each([
    ['without a priority', { ...boot, priority: undefined }, 'priority'],
    ['in the agent after it is gone', { interface: 'deploy', step: 'x', args: {}, priority: 30 }, 'from 99 to 41'],
    ['in the agent before it is there', { interface: 'deploy', step: 'x', args: {}, priority: 101 }, 'from 99 to 41'],
    [
      'in place of deploy.deploy',
      { interface: 'deploy', step: 'deploy', args: {}, priority: 100 },
      'cannot be replaced',
    ],
    [
      'with arguments for a core step',
      { interface: 'deploy', step: 'write_image', args: { x: 1 }, priority: 80 },
      'no arguments',
    ],
    ['with wrong arguments', { ...boot, args: { mode: 'fast' } }, 'management.set_boot_mode'],
  ])('%s are 400', async (_what, step, message) => {
    const node = await front.storeReady();
    expect(await front.provision(node.uuid, 'active', { deploy_steps: [step] })).toMatchObject({
      status: 400,
      error: expect.stringContaining(message),
    });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it('of the agent are 400 where no agent is booted', async () => {
    const { uuid } = await front.storeReady({
      deploy_interface: 'ramdisk',
      instance_info: { boot_iso: 'https://images.test/live.iso' },
    });
    const deploy_steps = [{ interface: 'deploy', step: 'x', args: {}, priority: 90 }];
    expect(await front.provision(uuid, 'active', { deploy_steps })).toMatchObject({
      status: 400,
      error: expect.stringContaining('interface ramdisk has none'),
    });
  });
});

describe('deploy templates', () => {
  const secure = { interface: 'management', step: 'set_secure_boot', args: { enabled: true }, priority: 90 };
  const template = async (name: string, steps: object[]) => {
    expect((await front.request('POST /v1/deploy_templates', { body: { name, steps } })).status).toBe(201);
  };
  const traits = ['CUSTOM_A', 'CUSTOM_B'];
  const asking = async () => front.storeReady({ traits, instance_info: { ...imageInfo, traits } });

  it('that ask for the same step are 400 before the state changes', async () => {
    await template('CUSTOM_A', [secure]);
    await template('CUSTOM_B', [secure]);
    const node = await asking();
    expect(await front.provision(node.uuid, 'active')).toMatchObject({
      status: 400,
      error: 'Deploy templates CUSTOM_A and CUSTOM_B both have step management.set_secure_boot.',
    });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it('that the node cannot do are 400', async () => {
    await template('CUSTOM_A', [{ ...secure, args: { enabled: 'perhaps' } }]);
    const { uuid } = await asking();
    expect(await front.provision(uuid, 'active')).toMatchObject({
      status: 400,
      error: expect.stringContaining('management.set_secure_boot'),
    });
  });
});

describe('runbook', () => {
  const make = async (values: object = {}) => {
    const body = {
      name: 'CUSTOM_BURN',
      steps: [
        { ...reset, args: {}, order: 2 },
        { ...turbo, order: 1 },
      ],
      ...values,
    };
    const answer = await front.request('POST /v1/runbooks', { body });
    expect([answer.status, answer.error]).toEqual([201, '']);
    return answer.body as { uuid: string };
  };

  it('gives its steps in their order to a node that shares one of its traits', async () => {
    const { uuid: book } = await make();
    await front.request(`PUT /v1/runbooks/${book}/traits`, { body: { traits: ['CUSTOM_X', 'CUSTOM_Y'] } });
    const { uuid } = await manageable({ traits: ['CUSTOM_Y'] });
    expect((await front.provision(uuid, 'clean', { runbook: book })).status).toBe(202);
    const steps = note(await front.read(uuid), 'clean_steps');
    expect(steps?.map(({ step }) => step)).toEqual(['apply_configuration', 'factory_reset']);
  });

  it('goes by its name before runbooks had traits', async () => {
    await make();
    const { uuid } = await active({ traits: ['CUSTOM_BURN'] });
    expect((await front.provision(uuid, 'service', { runbook: 'CUSTOM_BURN' }, '1.111')).status).toBe(202);
  });

  it('is 400 for a node that it is not meant for', async () => {
    await make();
    const node = await manageable({ traits: ['CUSTOM_BURN'] });
    expect(await front.provision(node.uuid, 'clean', { runbook: 'CUSTOM_BURN' })).toMatchObject({
      status: 400,
      error: expect.stringContaining('is not for node'),
    });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it('is 400 without traits, and says how it gets one', async () => {
    await make();
    const { uuid } = await manageable({ traits: ['CUSTOM_BURN'] });
    const { error } = await front.provision(uuid, 'clean', { runbook: 'CUSTOM_BURN' });
    expect(error).toContain('it has no traits. Give it one that the node has, too (PUT /v1/runbooks/');
  });

  it('that is not there is 404', async () => {
    const { uuid } = await manageable();
    expect((await front.provision(uuid, 'clean', { runbook: 'CUSTOM_NONE' })).status).toBe(404);
  });

  it('forbids the ramdisk if it says so, and the request can allow it', async () => {
    await make({ steps: [{ ...erase, args: {}, order: 1 }], disable_ramdisk: true });
    const { uuid } = await manageable({ traits: ['CUSTOM_BURN'] });
    const body = { runbook: 'CUSTOM_BURN' };
    expect((await front.provision(uuid, 'clean', body, '1.111')).status).toBe(400);
    expect((await front.provision(uuid, 'clean', { ...body, disable_ramdisk: false }, '1.111')).status).toBe(202);
  });

  it.each([
    ['of another project is 404 for a project', 'theirs', false, 404],
    ['that everybody may see is 403 for who may not use it', null, true, 403],
    ['of the project can be used', 'ours', false, 202],
  ] as const)('%s', async (_what, owner, isPublic, status) => {
    await make({ ...(owner !== null && { owner }), public: isPublic });
    const { uuid } = await manageable({ owner: 'ours', traits: ['CUSTOM_BURN'] });
    const subject = { user: 'u', project: 'ours', roles: 'manager', scope: 'project' };
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/provision`, {
      version: '1.111',
      subject,
      body: { target: 'clean', runbook: 'CUSTOM_BURN' },
    });
    expect(answer.status).toBe(status);
  });
});

describe('automatic lessee', () => {
  const projects = { user: 'u', project: 'tenant', roles: 'manager', scope: 'project' };
  const deploy = async (source: string, values: Partial<StoredNode> = {}, target = 'active', more: object = {}) => {
    front = createFrontWithNodes({ INGOT_AUTOMATIC_LESSEE_SOURCE: source, ...more });
    const { uuid } = await front.storeReady({
      owner: 'tenant',
      instance_info: { ...imageInfo, project_id: 'of the instance' },
      ...values,
    });
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/provision`, {
      subject: projects,
      body: { target },
    });
    expect(answer.status).toBe(202);
    const { lessee, driver_internal_info: info } = await front.read(uuid);
    return { lessee, mark: info['automatic_lessee'] };
  };

  it.each([
    ['instance', 'of the instance'],
    ['request', 'tenant'],
  ])('comes from the %s', async (source, lessee) => {
    expect(await deploy(source)).toEqual({ lessee, mark: true });
  });

  it.each([
    ['the setting says none', 'none', {}, 'active', {}, null],
    ['it is turned off', 'request', {}, 'active', { INGOT_AUTOMATIC_LESSEE: 'false' }, null],
    ['the instance names no project', 'instance', { instance_info: imageInfo }, 'active', {}, null],
    ['there is a lessee', 'request', { lessee: 'by hand' }, 'active', {}, 'by hand'],
    ['it is a rebuild', 'request', { provision_state: 'active' }, 'rebuild', {}, null],
  ] as const)('is none when %s', async (_why, source, values, target, more, lessee) => {
    expect(await deploy(source, values, target, more)).toEqual({ lessee, mark: undefined });
  });
});
