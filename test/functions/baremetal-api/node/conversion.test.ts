/** POST /v1/nodes/{ident}/conversion: who was moved in with ipmi and answers Redfish becomes one of ours (ADR 22). */
import { beforeEach, describe, expect, it } from 'vitest';

import { bmcFault } from '../../../../layers/bmc/faults.ts';
import { readSecrets } from '../../../../layers/store/node-secrets.ts';
import { openStored } from '../../../fakes/credentials.ts';
import { createFront } from '../front.ts';

const uuid = '11111111-0000-4000-8000-000000000001';
const node = {
  uuid,
  name: 'old-1',
  driver: 'ipmi',
  driver_info: {
    ipmi_address: '192.0.2.11',
    ipmi_username: 'admin',
    ipmi_password: 'canary-1',
    deploy_iso: 'https://images.test/agent.iso',
  },
  properties: { cpus: 8, memory_mb: 4096 },
  extra: { rack: 3 },
  provision_state: 'available',
  power_state: 'power off',
};

let front: ReturnType<typeof createFront>;
const moveIn = async (more: object = {}) => {
  const { body } = await front.request('POST /v1/imports', {
    body: { records: [{ kind: 'node', record: { ...node, ...more } }] },
  });
  expect(body.results).toMatchObject([{ outcome: 'created' }]);
};
const convert = async (more: object = {}, subject?: Record<string, string>) =>
  front.request('POST /v1/nodes/old-1/conversion', {
    body: { driver: 'redfish', ...more },
    ...(subject && { subject }),
  });
const stored = async () => (await front.request(`GET /v1/nodes/${uuid}`)).body;
const sealed = async () => (await readSecrets(front.platform.table, uuid)).values;

beforeEach(() => {
  front = createFront();
});

describe('a node of ipmi whose BMC answers', () => {
  it('becomes one of redfish, and everything else stays', async () => {
    await moveIn();
    const before = await stored();
    const { status, body } = await convert();
    expect([status, body]).toEqual([
      200,
      {
        outcome: 'converted',
        redfish_address: 'https://192.0.2.11',
        power_state: 'power off',
        vendor: 'Ingot',
        model: 'Fake',
        serial: '1',
        fingerprint256: null,
      },
    ]);
    const after = await stored();
    expect(after).toMatchObject({
      driver: 'redfish',
      driver_info: {
        redfish_address: 'https://192.0.2.11',
        redfish_username: 'admin',
        redfish_password: '******',
        deploy_iso: 'https://images.test/agent.iso',
      },
      power_interface: 'redfish',
      bios_interface: 'redfish',
      inspect_interface: 'redfish',
    });
    expect(Object.keys(after.driver_info)).toHaveLength(4);
    const changed = Object.keys(after).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
    expect(changed.filter((name) => !name.endsWith('_interface')).sort()).toEqual([
      'driver',
      'driver_info',
      'updated_at',
    ]);
    expect(await sealed()).toEqual({ redfish_password: 'moved' });
    const { body: history } = await front.request(`GET /v1/nodes/${uuid}/history?detail=true`);
    expect(history.history.at(-1)).toMatchObject({ event: 'Converted from driver ipmi to redfish.', user: 'admin' });
  });

  it('keeps the interfaces that somebody chose for it and redfish has', async () => {
    await moveIn({
      network_interface: 'flat',
      deploy_interface: 'ramdisk',
      boot_interface: 'pxe',
      vendor_interface: 'no-vendor',
    });
    await convert();
    expect(await stored()).toMatchObject({
      network_interface: 'flat',
      deploy_interface: 'ramdisk',
      vendor_interface: 'no-vendor',
      boot_interface: 'redfish-virtual-media',
    });
  });

  it('is only asked by a dry run', async () => {
    await moveIn();
    const before = await stored();
    expect((await convert({ dry_run: true })).body).toMatchObject({ outcome: 'convertible', power_state: 'power off' });
    expect(await stored()).toEqual(before);
    expect(Object.keys(await sealed())).toEqual(['ipmi_password']);
  });

  it('is asked nothing but what it reads, and the same request again finds it done', async () => {
    await moveIn();
    await convert();
    expect((await convert()).body).toMatchObject({ outcome: 'unchanged', redfish_address: 'https://192.0.2.11' });
    expect(front.proxy.requests.map(({ op }) => op)).toEqual(['bmc.prove']);
    expect(front.platform.workflows.started).toEqual([]);
  });

  it('stays fenced, and can be taken over then', async () => {
    await moveIn({ provision_state: 'active', instance_uuid: '22222222-0000-4000-8000-000000000001' });
    const takeOver = async () => (await front.request('POST /v1/takeovers', { body: { nodes: ['old-1'] } })).body;
    expect((await takeOver()).refused).toMatchObject([{ reason: expect.stringContaining('nodes convert') as string }]);
    expect((await convert()).status).toBe(200);
    const power = await front.request('PUT /v1/nodes/old-1/states/power', { body: { target: 'power off' } });
    expect([power.status, power.error]).toEqual([409, expect.stringContaining('takeover_pending')]);
    expect((await takeOver()).started).toEqual([uuid]);
  });

  it('goes by the password of the request, which is sealed here', async () => {
    await moveIn();
    const driver_info = {
      redfish_address: 'https://bmc.example:8443',
      redfish_username: 'root',
      redfish_password: 'canary-2',
    };
    expect((await convert({ driver_info })).body).toMatchObject({ outcome: 'converted' });
    expect(await openStored(front.platform, uuid, 'redfish_password')).toBe('canary-2');
    expect((await stored()).driver_info).toMatchObject({ ...driver_info, redfish_password: '******' });
    expect(JSON.stringify([front.proxy.requests, front.platform.log])).not.toContain('canary');
  });
});

describe('a conversion is refused', () => {
  it('with what the BMC said, and changes nothing', async () => {
    await moveIn();
    const before = await stored();
    front.proxy.answer('bmc.prove', bmcFault('BmcAuthFailed', 'The BMC refused the password.'));
    expect(await convert()).toMatchObject({ status: 400, error: 'The BMC refused the password.' });
    front.proxy.answer('bmc.prove', bmcFault('BmcUnreachable', 'Nobody answers.'));
    expect((await convert()).status).toBe(503);
    expect(await stored()).toEqual(before);
  });

  it('if the stored password would go to another host', async () => {
    await moveIn();
    const refused = await convert({ driver_info: { redfish_address: 'https://192.0.2.66' } });
    expect([refused.status, refused.error]).toEqual([
      400,
      expect.stringContaining('is for 192.0.2.11, not for 192.0.2.66'),
    ]);
    expect(front.proxy.requests).toEqual([]);
  });

  it('if the node was changed while its BMC was asked', async () => {
    await moveIn();
    front.proxy.answer('bmc.prove', async () => {
      const body = [{ op: 'add', path: '/driver_info/deploy_iso', value: 'https://images.test/new.iso' }];
      expect((await front.request('PATCH /v1/nodes/old-1', { body })).status).toBe(200);
      return undefined;
    });
    expect(await convert()).toMatchObject({
      status: 409,
      error: expect.stringContaining('was changed while') as string,
    });
    expect(await stored()).toMatchObject({
      driver: 'ipmi',
      driver_info: { deploy_iso: 'https://images.test/new.iso' },
    });
  });

  it('while somebody else works on the node', async () => {
    await moveIn();
    await front.force(uuid, { reservation: 'somebody' });
    expect((await convert()).status).toBe(409);
    expect(front.proxy.requests).toEqual([]);
  });

  it('for a mask, for keys that tell nothing of a BMC, and for a node of another driver', async () => {
    await moveIn();
    expect((await convert({ driver_info: { redfish_password: '******' } })).error).toContain('the password itself');
    expect((await convert({ driver_info: { deploy_iso: 'https://a.test' } })).status).toBe(400);
    expect((await convert({ driver: 'ipmi' })).status).toBe(400);
    await front.enrol({ name: 'own' });
    expect(await front.request('POST /v1/nodes/own/conversion', { body: { driver: 'redfish' } })).toMatchObject({
      status: 409,
      error: expect.stringContaining('there is nothing to convert') as string,
    });
  });

  it('for all but administrators of the system, even its owner', async () => {
    await moveIn({ owner: 'p' });
    const who = (roles: string, scope: string) => ({ user: 'u', project: 'p', roles, scope });
    for (const [roles, scope] of [
      ['member', 'system'],
      ['reader', 'system'],
      ['admin', 'project'],
    ] as const) {
      expect((await convert({}, who(roles, scope))).status).toBe(403);
    }
    expect(front.proxy.requests).toEqual([]);
  });
});

describe('the stored password', () => {
  const patch = async (...body: readonly object[]) => front.request('PATCH /v1/nodes/old-1', { body });
  const elsewhere = { op: 'replace', path: '/driver_info/ipmi_address', value: '192.0.2.66' };

  it('is not carried to another address by a change of that: it has to come along', async () => {
    await moveIn();
    expect(await patch(elsewhere)).toMatchObject({
      status: 400,
      error: expect.stringContaining('give driver_info.ipmi_password') as string,
    });
    expect(await patch({ op: 'remove', path: '/driver_info/ipmi_address' })).toMatchObject({ status: 400 });
    const anew = { op: 'replace', path: '/driver_info/ipmi_password', value: 'canary-3' };
    expect((await patch(elsewhere, anew)).status).toBe(200);
    const info = { ipmi_address: '192.0.2.11', ipmi_username: 'admin', ipmi_password: '******' };
    expect((await patch({ op: 'replace', path: '/driver_info', value: info })).status).toBe(400);
  });
});
