import { beforeEach, describe, expect, it } from 'vitest';

import { rescuePasswordKey } from '../../../../layers/store/rescue-passwords.ts';
import { createBmcRecords } from '../../../../layers/store/bmc-records.ts';
import { sha256Crypt } from '../../../../functions/baremetal-api/sha256-crypt.ts';
import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const password = 'correct horse battery staple';
const body = { rescue_password: password };
const active = { provision_state: 'active', rescue_interface: 'agent' } as const;

const passwordOf = async (uuid: string) => front.platform.table.get(rescuePasswordKey(uuid));
const waiting = async (uuid: string) => {
  const { run } = await front.read(uuid);
  await front.force(uuid, { provision_state: 'rescue wait', reservation: null });
  return run;
};

describe('rescue', () => {
  it('is accepted and started', async () => {
    const { uuid } = await front.storeReady(active);
    expect((await front.provision(uuid, 'rescue', body)).status).toBe(202);
    const node = await front.read(uuid);
    expect(node).toMatchObject({
      provision_state: 'rescuing',
      target_provision_state: 'rescue',
      run_workflow: 'rescue',
    });
    expect(front.platform.workflows.started).toEqual([{ workflow: 'rescue', name: node.run, input: { node: uuid } }]);
  });

  it('hands the proxy a hash of the password, which opens for this node only', async () => {
    const { uuid } = await front.storeReady(active);
    await front.provision(uuid, 'rescue', body);
    const { sealed } = await createBmcRecords(front.platform).read(uuid);
    const hash = await front.platform.opener.open(sealed['rescue_password']!, { node: uuid, name: 'rescue_password' });
    const [, kind, salt] = hash.split('$');
    expect([kind, salt]).toEqual(['5', expect.stringMatching(/^\w{16}$/)]);
    expect(hash).toBe(sha256Crypt(password, salt!));
  });

  it('stores the password nowhere', async () => {
    const { uuid } = await front.storeReady(active);
    await front.provision(uuid, 'rescue', body);
    const all = await front.platform.table.query({ partition: `node#${uuid}` });
    expect(JSON.stringify([all, front.platform.workflows.started])).not.toContain(password);
    expect(JSON.stringify((await front.request(`GET /v1/nodes/${uuid}`)).body)).not.toContain('rescue_password');
  });

  it.each(['   ', '\t\n'])('refuses a password of blanks with 400', async (blank) => {
    const { uuid } = await front.storeReady(active);
    const { status, error } = await front.provision(uuid, 'rescue', { rescue_password: blank });
    expect([status, error]).toEqual([400, expect.stringContaining('non-empty "rescue_password"')]);
    expect(await front.read(uuid)).toMatchObject({ provision_state: 'active', run: null });
  });

  it('refuses a password that takes long to hash with 413', async () => {
    const { uuid } = await front.storeReady(active);
    expect((await front.provision(uuid, 'rescue', { rescue_password: 'x'.repeat(256) })).status).toBe(202);
    const other = await front.storeReady(active).catch(async () => front.store({ ...active, driver: 'redfish' }));
    expect((await front.provision(other.uuid, 'rescue', { rescue_password: 'x'.repeat(257) })).status).toBe(413);
  });

  it('leaves no password of a request that is refused', async () => {
    const { uuid } = await front.storeReady({ ...active, rescue_interface: 'no-rescue' });
    const { status, error } = await front.provision(uuid, 'rescue', body);
    expect([status, error]).toEqual([400, 'Driver redfish does not support rescue (disabled or not implemented).']);
    expect(await passwordOf(uuid)).toBeUndefined();
  });

  it.each([
    ['an ISO', { redfish_address: 'https://10.1.0.7' }, 'deploy_iso'],
    ['a rescue ISO that is a URL', { redfish_address: 'https://10.1.0.7', rescue_iso: 'rescue.iso' }, 'rescue_iso'],
  ])('needs %s', async (_what, driver_info, text) => {
    const { uuid } = await front.storeReady({ ...active, driver_info });
    const { status, error } = await front.provision(uuid, 'rescue', body);
    expect([status, error]).toEqual([400, expect.stringContaining(text)]);
  });

  it('needs a port, by which the agent is recognised', async () => {
    const { uuid } = await front.store({
      ...active,
      driver: 'redfish',
      driver_info: { redfish_address: 'https://10.1.0.7', deploy_iso: 'https://images.test/deploy.iso' },
    });
    const { status, error } = await front.provision(uuid, 'rescue', body);
    expect([status, error]).toEqual([400, expect.stringContaining('has no port')]);
  });

  it('is refused in maintenance, but unrescue needs no media to get back', async () => {
    const tired = await front.store({
      ...active,
      driver: 'fake-hardware',
      rescue_interface: 'fake',
      maintenance: true,
    });
    expect((await front.provision(tired.uuid, 'rescue', body)).status).toBe(400);
    const { uuid } = await front.store({
      ...active,
      provision_state: 'rescue',
      driver: 'redfish',
      driver_info: { redfish_address: 'https://10.1.0.7' },
    });
    expect((await front.provision(uuid, 'unrescue')).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ provision_state: 'unrescuing', run_workflow: 'unrescue' });
  });
});

describe.each([
  ['abort', 'rescue failed'],
  ['deleted', 'deleting'],
] as const)('%s of a rescue that waits', (verb, state) => {
  it('forgets the password and ends the run', async () => {
    const { uuid } = await front.storeReady(active);
    await front.provision(uuid, 'rescue', body);
    const run = await waiting(uuid);
    expect(await passwordOf(uuid)).toBeDefined();
    expect((await front.provision(uuid, verb)).status).toBe(202);
    expect(await passwordOf(uuid)).toBeUndefined();
    expect(await front.read(uuid)).toMatchObject({ provision_state: state });
    expect(front.platform.workflows.stopped).toMatchObject([{ workflow: 'rescue', name: run }]);
  });
});

describe.each(['rescue', 'rescue failed', 'unrescue failed'] as const)('a node in state "%s"', (provision_state) => {
  it('can be undeployed', async () => {
    const { uuid } = await front.storeReady({ ...active, provision_state });
    expect((await front.provision(uuid, 'deleted')).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({ provision_state: 'deleting', run_workflow: 'undeploy' });
  });
});

describe('inspect', () => {
  it('is accepted and started, also without ports and in maintenance', async () => {
    for (const inspect_interface of ['redfish', 'agent']) {
      const { uuid } = await front.store({
        driver: 'redfish',
        driver_info: { redfish_address: 'https://10.1.0.7', deploy_iso: 'https://images.test/deploy.iso' },
        provision_state: 'manageable',
        maintenance: true,
        inspect_interface,
      });
      expect((await front.provision(uuid, 'inspect')).status).toBe(202);
      expect(await front.read(uuid)).toMatchObject({ provision_state: 'inspecting', run_workflow: 'inspect' });
    }
  });

  it('is refused by what the node lacks', async () => {
    const values = { driver: 'redfish', provision_state: 'manageable' } as const;
    const driver_info = { redfish_address: 'https://10.1.0.7' };
    const cannot = await front.store({ ...values, driver_info, inspect_interface: 'no-inspect' });
    expect(await front.provision(cannot.uuid, 'inspect')).toMatchObject({
      status: 400,
      error: 'Driver redfish does not support inspect (disabled or not implemented).',
    });
    const bare = await front.store({ ...values, driver_info, inspect_interface: 'agent' });
    expect(await front.provision(bare.uuid, 'inspect')).toMatchObject({
      status: 400,
      error: expect.stringContaining('deploy_iso') as string,
    });
  });
});

describe('adopt', () => {
  it.each(['manageable', 'adopt failed'] as const)('is accepted from %s and started', async (provision_state) => {
    const { uuid } = await front.store({ provision_state });
    expect((await front.provision(uuid, 'adopt')).status).toBe(202);
    expect(await front.read(uuid)).toMatchObject({
      provision_state: 'adopting',
      target_provision_state: 'active',
      run_workflow: 'adopt',
    });
  });
});
