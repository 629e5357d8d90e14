import { gzipSync } from 'node:zlib';

import { beforeEach, describe, expect, it } from 'vitest';

import type { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import { createTenant, instance, lost, otherInstance, refusing, silent } from './tenant.ts';

type State = ReturnType<typeof newNode>['provision_state'];

let tenant: ReturnType<typeof createTenant>;
beforeEach(() => {
  tenant = createTenant();
});

const stored = async (provision_state: State, values: object = {}): Promise<string> =>
  (await tenant.storeReady({ provision_state, instance_uuid: instance, rescue_interface: 'agent', ...values })).uuid;

const active = { target: 'active' } as const;
const deleted = { target: 'deleted' } as const;
const rescue = { target: 'rescue', rescue_password: 'hush-hush-1' } as const;

describe('a node is asked', () => {
  it.each([
    ['available', active, 'deploying'],
    ['active', { target: 'rebuild' }, 'deploying'],
    ['active', deleted, 'deleting'],
    ['deploy failed', deleted, 'deleting'],
    ['error', deleted, 'deleting'],
    ['active', rescue, 'rescuing'],
    ['rescue', { target: 'unrescue' }, 'unrescuing'],
  ] as const)('in %s for %j and is then %s', async (state, wish, then) => {
    const uuid = await stored(state);
    expect(await tenant.client.provision(uuid, instance, wish)).toBe('accepted');
    expect((await tenant.read(uuid)).provision_state).toBe(then);
    expect(tenant.requests('PUT')).toEqual(['PUT /v1/nodes/{node}/states/provision']);
  });

  it.each([
    ['deploying', active],
    ['wait call-back', active],
    ['active', active],
    ['deploy failed', active],
    ['wait call-back', { target: 'rebuild' }],
    ['deleting', deleted],
    ['cleaning', deleted],
    ['clean failed', deleted],
    ['rescue wait', rescue],
    ['rescue', rescue],
    ['active', { target: 'unrescue' }],
  ] as const)('in %s for %j no second time', async (state, wish) => {
    const uuid = await stored(state);
    expect(await tenant.client.provision(uuid, instance, wish)).toBe('accepted');
    expect(tenant.requests('PUT')).toEqual([]);
  });

  it('with a configdrive that it then has', async () => {
    const uuid = await stored('available');
    const configdrive = gzipSync('drive').toString('base64');
    await tenant.client.provision(uuid, instance, { target: 'active', configdrive });
    expect((await tenant.read(uuid)).instance_info['configdrive']).toBeDefined();
  });

  it('once though the answer is lost', async () => {
    const uuid = await stored('available');
    tenant.mishap('PUT', lost);
    expect(await tenant.client.provision(uuid, instance, active)).toBe('accepted');
    expect(tenant.requests('PUT')).toHaveLength(1);
    expect(tenant.platform.workflows.started).toHaveLength(1);
  });

  it('again if nobody was there', async () => {
    const uuid = await stored('available');
    tenant.mishap('PUT', silent, refusing(503, 'no worker is free'));
    expect(await tenant.client.provision(uuid, instance, active)).toBe('accepted');
    expect(tenant.requests('PUT')).toHaveLength(1);
  });

  it('though another request of the same run was faster, which makes this one a refusal', async () => {
    const uuid = await stored('available');
    tenant.mishap('PUT', async (_wanted, send) => {
      await send();
      await tenant.force(uuid, { reservation: null, provision_state: 'wait call-back' });
      return send();
    });
    expect(await tenant.client.provision(uuid, instance, active)).toBe('accepted');
  });

  it('when it is not locked any more', async () => {
    const uuid = await stored('active', { reservation: 'power-1' });
    tenant.mishap(
      'PUT',
      async (_wanted, send) => send(),
      async (_wanted, send) => {
        await tenant.force(uuid, { reservation: null });
        return send();
      },
    );
    expect(await tenant.client.provision(uuid, instance, deleted)).toBe('accepted');
    expect((await tenant.read(uuid)).provision_state).toBe('deleting');
  });
});

describe('a node is not asked', () => {
  it.each(['available', 'manageable', 'enroll'] as const)(
    'to be deleted in %s: it is to be released',
    async (state) => {
      const uuid = await stored(state);
      expect(await tenant.client.provision(uuid, instance, deleted)).toBe('needless');
      expect(tenant.requests('PUT')).toEqual([]);
    },
  );

  it('to be deleted if it is gone, or another instance has it', async () => {
    const uuid = await stored('active', { instance_uuid: otherInstance });
    expect(await tenant.client.provision(uuid, instance, deleted)).toBe('needless');
    expect(await tenant.client.provision('00000000-0000-4000-8000-00000000dead', instance, deleted)).toBe('needless');
    expect(tenant.requests('PUT')).toEqual([]);
  });

  it('for anything else if another instance has it', async () => {
    const uuid = await stored('active', { instance_uuid: otherInstance });
    for (const wish of [active, { target: 'rebuild' } as const, rescue, { target: 'unrescue' } as const]) {
      await expect(tenant.client.provision(uuid, instance, wish)).rejects.toMatchObject({ name: 'BaremetalTaken' });
    }
    expect(tenant.requests('PUT')).toEqual([]);
  });

  it('for what its operator forbids', async () => {
    const uuid = await stored('active', { protected: true });
    for (const wish of [deleted, { target: 'rebuild' } as const]) {
      await expect(tenant.client.provision(uuid, instance, wish)).rejects.toMatchObject({
        name: 'BaremetalRefused',
        message: expect.stringContaining('is protected'),
      });
    }
  });
});

describe('a refusal', () => {
  it('of the state is BaremetalRefused, and is not tried again', async () => {
    const uuid = await stored('active', { maintenance: true });
    await expect(tenant.client.provision(uuid, instance, rescue)).rejects.toMatchObject({
      name: 'BaremetalRefused',
      message: expect.stringContaining('maintenance mode'),
    });
    expect(tenant.requests('PUT')).toHaveLength(1);
  });

  it('never repeats the password or the configdrive that came with the request', async () => {
    const uuid = await stored('active');
    tenant.mishap('PUT', refusing(400, 'hush-hush-1 is a bad password'));
    const error = await tenant.client.provision(uuid, instance, rescue).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'BaremetalRefused', message: expect.stringContaining('****** is a bad') });
    tenant.mishap('PUT', ...Array.from({ length: 3 }, () => refusing(500, 'hush-hush-1')));
    const outage = await tenant.client.provision(uuid, instance, rescue).catch((thrown: unknown) => thrown);
    expect(outage).toMatchObject({ name: 'Unavailable', cause: { message: expect.not.stringContaining('hush') } });
  });
});
