import { beforeEach, describe, expect, it } from 'vitest';
import { withoutTrail } from '../../../fakes/trail.ts';

import { workflows } from '../../../../infra/manifest.ts';
import { provisionStates, transitions, type ProvisionState } from '../../../../layers/domain/baremetal/transitions.ts';
import { verbs, type Verb } from '../../../../layers/domain/baremetal/verbs.ts';
import { drop, notesUntil } from '../../../../layers/domain/notes.ts';
import { nameOf } from '../../../../layers/platform/memory/ids.ts';
import { everyNote, strangeNotes } from '../../../fakes/notes.ts';
import { createFrontWithNodes, imageInfo, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const waiting = { run_workflow: 'deploy', generation: 3, target_provision_state: 'active' } as const;

describe('a verb that starts a workflow', () => {
  it.each([
    ['manage', 'enroll', 'verifying', 'manageable', 'verify'],
    ['provide', 'manageable', 'cleaning', 'available', 'clean'],
    ['active', 'available', 'deploying', 'active', 'deploy'],
    ['deploy', 'deploy failed', 'deploying', 'active', 'deploy'],
    ['rebuild', 'active', 'deploying', 'active', 'deploy'],
    ['deleted', 'active', 'deleting', 'available', 'undeploy'],
    ['undeploy', 'error', 'deleting', 'available', 'undeploy'],
  ] as const)('%s: %s -> %s', async (verb, from, to, target, workflow) => {
    const { uuid } = await front.store({ provision_state: from, last_error: 'old trouble' });
    const answer = await front.provision(uuid, verb);
    expect(answer).toMatchObject({ status: 202, body: undefined });
    expect(answer.headers['Location']).toBe(`http://metal.test/v1/nodes/${uuid}/states`);
    const { run } = await front.read(uuid);
    expect(run).toMatch(nameOf(uuid));
    expect(await front.read(uuid)).toMatchObject({
      provision_state: to,
      target_provision_state: target,
      reservation: run,
      run_workflow: workflow,
      generation: 1,
      last_error: null,
    });
    expect(front.platform.workflows.started).toEqual([{ workflow, name: run, input: { node: uuid } }]);
    const [event] = await front.events(uuid);
    expect(event).toMatchObject({ kind: 'request', run, user: 'admin', provision_state: to });
  });

  it('is accepted when the start is lost: the record stands, sync starts it', async () => {
    front.platform.workflows.start = async () => {
      throw new Error('Step Functions is down');
    };
    const { uuid } = await front.store({ provision_state: 'manageable' });
    expect((await front.provision(uuid, 'provide')).status).toBe(202);
    const { reservation: run } = await front.read(uuid);
    expect(run).toMatch(nameOf(uuid));
    expect(withoutTrail(front.platform.log.lines)).toMatchObject([{ level: 'warn', fields: { run } }]);
  });

  it('finds the node by name and puts that name into the Location', async () => {
    await front.store({ name: 'rack-1', provision_state: 'manageable' });
    const answer = await front.provision('rack-1', 'provide');
    expect(answer.headers['Location']).toBe('http://metal.test/v1/nodes/rack-1/states');
  });

  it('takes the target as a query parameter too', async () => {
    const { uuid } = await front.store({ provision_state: 'manageable' });
    const answer = await front.request(`PUT /v1/nodes/${uuid}/states/provision?target=provide`);
    expect(answer.status).toBe(202);
  });
});

describe('a verb that only changes the state', () => {
  it.each(['available', 'clean failed', 'inspect failed', 'adopt failed'] as const)(
    'manage from %s needs no workflow',
    async (from) => {
      const { uuid } = await front.store({
        provision_state: from,
        target_provision_state: 'available',
        last_error: 'x',
      });
      expect((await front.provision(uuid, 'manage')).status).toBe(202);
      expect(await front.read(uuid)).toMatchObject({
        provision_state: 'manageable',
        target_provision_state: null,
        reservation: null,
        run: null,
        last_error: null,
      });
      expect(front.platform.workflows.started).toEqual([]);
    },
  );
});

describe('the state machine', () => {
  const all = provisionStates.flatMap((state) => (Object.keys(verbs) as Verb[]).map((verb) => ({ state, verb })));
  const fits = ({ state, verb }: { state: ProvisionState; verb: Verb }) => verbs[verb].event in transitions[state];

  it('refuses every verb that does not fit with 400, and with 409 while the node is locked', async () => {
    const refused = all.filter((pair) => !fits(pair));
    expect(refused.length).toBeGreaterThan(300);
    for (const { state, verb } of refused) {
      const free = await front.store({ provision_state: state });
      expect(await front.provision(free.uuid, verb)).toMatchObject({
        status: 400,
        error: `The requested action "${verb}" can not be performed on node "${free.uuid}" while it is in state "${state}".`,
      });
      const locked = await front.store({ provision_state: state, reservation: 'somebody-1' });
      expect(await front.provision(locked.uuid, verb)).toMatchObject({
        status: 409,
        error: `Node ${locked.uuid} is locked by host somebody-1, please retry after the current operation is completed.`,
      });
    }
    expect(front.platform.workflows.started).toEqual([]);
  });

  it('refuses what fits with 409 while the node is locked', async () => {
    const steps = [{ interface: 'deploy', step: 'erase_devices' }];
    const bodies: { readonly [V in Verb]?: object } = {
      clean: { clean_steps: steps },
      service: { service_steps: steps },
      rescue: { rescue_password: 'x' },
    };
    for (const { state, verb } of all.filter((pair) => fits(pair))) {
      const { uuid } = await front.store({ provision_state: state, reservation: 'somebody-1' });
      expect(await front.provision(uuid, verb, bodies[verb])).toMatchObject({ status: 409 });
    }
  });

  it.each(['done', 'fail', 'wait', 'resume', 'constructor', ''])('refuses "%s", which is no verb', async (target) => {
    const { uuid } = await front.store({ provision_state: 'cleaning' });
    expect(await front.provision(uuid, target)).toMatchObject({
      status: 400,
      error: expect.stringContaining('in state "cleaning"'),
    });
  });

  it('says what is missing or too much', async () => {
    const { uuid } = await front.store();
    const path = `PUT /v1/nodes/${uuid}/states/provision`;
    expect(await front.request(path, { body: {} })).toMatchObject({
      status: 400,
      error: 'Missing mandatory parameter: target.',
    });
    expect(await front.request(path, { body: { target: 'active', bogus: 1 } })).toMatchObject({
      status: 400,
      error: 'Unexpected arguments: bogus.',
    });
    expect((await front.request('PUT /v1/nodes/nobody/states/provision', { body: { target: 'active' } })).status).toBe(
      404,
    );
  });
});

describe('microversions', () => {
  const gated = Object.entries(verbs).flatMap(([verb, row]) =>
    row.since ? [[verb, row.since, row.stateFirst ? 400 : 406] as const] : [],
  );

  it.each(gated)('%s is new in 1.%i: below it is %i in a state that it does not fit', async (verb, since, older) => {
    const { uuid } = await front.store({ provision_state: 'error' });
    expect((await front.provision(uuid, verb, {}, `1.${since - 1}`)).status).toBe(older);
    expect((await front.provision(uuid, verb, {}, `1.${since}`)).status).not.toBe(406);
  });

  it.each([
    ['unhold', 'clean hold', {}, 84],
    ['service', 'active', { service_steps: [{ interface: 'deploy', step: 'x', args: {} }] }, 86],
  ] as const)('%s in %s is 406 before its version all the same', async (verb, state, body, version) => {
    const { uuid } = await front.store({ provision_state: state });
    expect((await front.provision(uuid, verb, body, `1.${version}`)).status).toBe(406);
  });

  it('active and deleted have always been there', async () => {
    const { uuid } = await front.store();
    expect((await front.provision(uuid, 'active', {}, '1.1')).status).toBe(202);
  });

  it.each([
    ['inspect wait', 41],
    ['wait call-back', 110],
    ['clean wait', 13],
  ] as const)('abort in %s is 406 below 1.%i', async (state, since) => {
    const { uuid } = await front.store({ provision_state: state });
    expect((await front.provision(uuid, 'abort', {}, `1.${since - 1}`)).status).toBe(406);
    expect((await front.provision(uuid, 'abort', {}, `1.${since}`)).status).toBe(202);
  });
});

describe('verbs', () => {
  it('start workflows that are there', () => {
    const started = Object.values(verbs).flatMap((row) => (row.workflow ? [row.workflow] : []));
    expect(Object.keys(workflows)).toEqual(expect.arrayContaining(started));
  });
});

describe('keys of the body', () => {
  it.each([
    ['clean_steps with another target', 'available', 'active', { clean_steps: [{}] }, 400, 'only valid when'],
    ['deploy_steps with another target', 'active', 'deleted', { deploy_steps: [{}] }, 400, 'only valid when'],
    ['deploy_steps with the alias', 'available', 'deploy', { deploy_steps: [{}] }, 400, 'only valid when'],
    ['rescue_password with another target', 'active', 'rebuild', { rescue_password: 'x' }, 400, 'only valid when'],
    ['disable_ramdisk with another target', 'active', 'rebuild', { disable_ramdisk: true }, 400, 'only valid when'],
    ['clean without steps', 'manageable', 'clean', {}, 400, '"clean_steps" or "runbook"'],
    ['clean with both', 'manageable', 'clean', { clean_steps: [{}], runbook: 'B' }, 400, 'exclude each other'],
    ['service without steps', 'active', 'service', {}, 400, '"service_steps" or "runbook"'],
    ['rescue without a password', 'active', 'rescue', { rescue_password: '' }, 400, '"rescue_password"'],
  ] as const)('%s', async (_what, state, verb, body, status, error) => {
    const { uuid } = await front.store({ provision_state: state });
    expect(await front.provision(uuid, verb, body)).toMatchObject({ status, error: expect.stringContaining(error) });
  });

  it.each([
    ['deploy_steps', 'active', 'available', { deploy_steps: [{}] }, 69],
    ['disable_ramdisk', 'clean', 'manageable', { clean_steps: [{}], disable_ramdisk: true }, 70],
    ['disable_ramdisk', 'service', 'active', { service_steps: [{}], disable_ramdisk: true }, 108],
    ['runbook', 'clean', 'manageable', { runbook: 'B' }, 92],
  ] as const)('%s of %s is 406 below its version', async (_key, verb, state, body, since) => {
    const { uuid } = await front.store({ provision_state: state });
    expect((await front.provision(uuid, verb, body, `1.${since - 1}`)).status).toBe(406);
    expect([400, 404]).toContain((await front.provision(uuid, verb, body, `1.${since}`)).status);
  });
});

describe('what the node forbids', () => {
  it('maintenance: 400 for deploying, before the state is looked at; undeploy and provide go on', async () => {
    const { uuid } = await front.store({ maintenance: true, provision_state: 'active' });
    expect(await front.provision(uuid, 'active')).toMatchObject({
      status: 400,
      error: expect.stringContaining('maintenance'),
    });
    expect((await front.provision(uuid, 'deleted')).status).toBe(202);
    const other = await front.store({ maintenance: true, provision_state: 'manageable' });
    expect((await front.provision(other.uuid, 'provide')).status).toBe(202);
  });

  it.each(['deleted', 'undeploy', 'rebuild'])('protected: %s is 403', async (verb) => {
    const node = await front.store({ protected: true, provision_state: 'active' });
    expect((await front.provision(node.uuid, verb)).status).toBe(403);
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it('retired: provide is 400, and 409 while locked', async () => {
    const retired = { retired: true, provision_state: 'manageable' } as const;
    const { uuid } = await front.store(retired);
    expect(await front.provision(uuid, 'provide')).toMatchObject({
      status: 400,
      error: expect.stringContaining('retired'),
    });
    const locked = await front.store({ ...retired, reservation: 'r' });
    expect((await front.provision(locked.uuid, 'provide')).status).toBe(409);
  });
});

describe('validation before the state changes', () => {
  it('a redfish node that is ready deploys', async () => {
    const { uuid } = await front.storeReady();
    expect((await front.provision(uuid, 'active')).status).toBe(202);
  });

  it.each([
    ['no image', { instance_info: {} }, 'instance_info.image_source'],
    ['no BMC address', { driver_info: { deploy_iso: 'https://images.test/x.iso' } }, 'driver_info.redfish_address'],
    ['no agent image', { driver_info: { redfish_address: '10.1.0.7' } }, 'driver_info.deploy_iso'],
    ['an unknown trait', { instance_info: { ...imageInfo, traits: ['CUSTOM_X'] } }, 'instance_info.traits'],
  ] as const)('%s: 400 that names the key, nothing changed', async (_what, values, error) => {
    const node = await front.storeReady(values);
    expect(await front.provision(node.uuid, 'active')).toMatchObject({
      status: 400,
      error: expect.stringContaining(error),
    });
    expect(await front.read(node.uuid)).toEqual(node);
  });

  it('says which interface stands in the way of a deploy', async () => {
    const { uuid } = await front.storeReady({ instance_info: {} });
    const words = `Node ${uuid} cannot be deployed, its deploy interface is not ready. Missing: instance_info.image_source.`;
    for (const verb of ['active', 'deploy']) {
      expect(await front.provision(uuid, verb)).toMatchObject({ status: 400, error: expect.stringContaining(words) });
    }
  });

  it('undeploy needs to know the BMC, 400 instead of a machine that keeps running', async () => {
    const { uuid } = await front.storeReady({ provision_state: 'active', driver_info: {} });
    expect(await front.provision(uuid, 'deleted')).toMatchObject({
      status: 400,
      error: expect.stringContaining('redfish_address'),
    });
  });
});

describe('a node that waits for its agent', () => {
  const storeWaiting = async (state: ProvisionState, values: object = {}) => {
    const { uuid } = await front.store({ ...waiting, provision_state: state, ...values });
    const run = `${uuid}-2`;
    await front.platform.table.write([
      { update: { pk: `node#${uuid}`, sk: 'node' }, set: { run } },
      { put: { pk: `node#${uuid}`, sk: 'wait', token: 'T', run } },
    ]);
    await front.platform.workflows.start('deploy', run, {});
    front.platform.workflows.started.length = 0;
    return { uuid, run };
  };

  it('is taken over by deleted: new run and generation, old execution stopped, its token forgotten', async () => {
    const { uuid, run } = await storeWaiting('wait call-back');
    expect((await front.provision(uuid, 'deleted')).status).toBe(202);
    const { run: next } = await front.read(uuid);
    expect(next).not.toBe(run);
    expect(await front.read(uuid)).toMatchObject({
      provision_state: 'deleting',
      reservation: next,
      generation: 4,
    });
    expect(front.platform.workflows.stopped).toEqual([{ workflow: 'deploy', name: run, error: 'Superseded' }]);
    expect(front.platform.workflows.started).toMatchObject([{ workflow: 'undeploy', name: next }]);
    expect(await front.platform.table.get({ pk: `node#${uuid}`, sk: 'wait' })).toBeUndefined();
  });

  it.each([
    ['wait call-back', 'deploy failed'],
    ['clean wait', 'clean failed'],
    ['inspect wait', 'inspect failed'],
  ] as const)('abort: %s -> %s, and the machine is switched off', async (from, to) => {
    const { uuid, run } = await storeWaiting(from, {
      clean_step: { step: 'erase_devices', abortable: true },
      agent_token_sha256: 'f00',
      driver_internal_info: { ...everyNote, ...strangeNotes },
    });
    expect((await front.provision(uuid, 'abort')).status).toBe(202);
    const { reservation: power } = await front.read(uuid);
    expect(power).toMatch(nameOf(uuid));
    expect(await front.read(uuid)).toMatchObject({
      provision_state: to,
      target_provision_state: 'active',
      target_power_state: 'power off',
      run: null,
      run_workflow: null,
      clean_step: {},
      agent_token_sha256: null,
      last_error: `The operation was aborted by request while in state "${from}".`,
    });
    const left = drop({ driver_internal_info: { ...everyNote, ...strangeNotes } }, ...notesUntil('work', 'agent'));
    expect(await front.read(uuid)).toMatchObject(left);
    expect(Object.keys((await front.read(uuid)).driver_internal_info)).toEqual(Object.keys(left.driver_internal_info));
    expect(front.platform.workflows.stopped).toMatchObject([{ name: run }]);
    expect(front.platform.workflows.started).toEqual([
      { workflow: 'power', name: power, input: { node: uuid, target: 'power off', timeout: null, abandons: true } },
    ]);
  });

  it('abort leaves a machine on that must not be switched off, and still fences off its run', async () => {
    const { uuid } = await storeWaiting('clean wait', { disable_power_off: true });
    expect((await front.provision(uuid, 'abort')).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ reservation: null, generation: 4, target_power_state: null });
    expect(front.platform.workflows.started).toEqual([]);
  });

  it('is not aborted in a step that must not be interrupted', async () => {
    const { uuid } = await storeWaiting('clean wait', { clean_step: { step: 'update_firmware', abortable: false } });
    expect(await front.provision(uuid, 'abort')).toMatchObject({
      status: 400,
      error: expect.stringContaining('update_firmware'),
    });
  });
});

describe('a verb that needs no lock', () => {
  it('is decided again when somebody was faster, and refused in the same words', async () => {
    const { uuid } = await front.store({ provision_state: 'available' });
    const answers = await Promise.all([front.provision(uuid, 'manage'), front.provision(uuid, 'manage')]);
    const [accepted, refused] = answers.toSorted((one, other) => one.status - other.status);
    expect([accepted!.status, refused!.status]).toEqual([202, 400]);
    expect(refused!.error).toBe(
      `The requested action "manage" can not be performed on node "${uuid}" while it is in state "manageable".`,
    );
  });
});

describe('200 clients that ask for one node', () => {
  it('get exactly one 202, the others 409, with one run and no object left behind', async () => {
    const { uuid } = await front.storeReady();
    const ask = async () => front.provision(uuid, 'active', { configdrive: { meta_data: {} } });
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect({ accepted: count(202), locked: count(409) }).toEqual({ accepted: 1, locked: 199 });
    expect(front.platform.workflows.started).toHaveLength(1);
    expect(await front.read(uuid)).toMatchObject({ generation: 1, provision_state: 'deploying' });
    expect(front.platform.objects.keys()).toEqual([
      String((await front.read(uuid)).instance_info['configdrive']).replace('object:', ''),
    ]);
  });
});
