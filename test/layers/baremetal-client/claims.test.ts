import { beforeEach, describe, expect, it } from 'vitest';

import { createTenant, instance, lost, otherInstance, refusing, silent } from './tenant.ts';

let tenant: ReturnType<typeof createTenant>;
beforeEach(() => {
  tenant = createTenant();
});

const info = async (uuid: string) => (await tenant.read(uuid)).instance_info;

describe('a claim', () => {
  it('gives a free node to the instance', async () => {
    const { uuid } = await tenant.store();
    expect(await tenant.client.claim(uuid, instance)).toMatchObject({ uuid, instance_uuid: instance });
    expect((await tenant.read(uuid)).instance_uuid).toBe(instance);
  });

  it('that is repeated counts as done, without another write', async () => {
    const { uuid } = await tenant.store();
    await tenant.client.claim(uuid, instance);
    expect(await tenant.client.claim(uuid, instance)).toMatchObject({ uuid, instance_uuid: instance });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it.each([{ instance_uuid: otherInstance }, { maintenance: true }, { provision_state: 'cleaning' }] as const)(
    'of a node with %j is BaremetalTaken, and writes nothing',
    async (values) => {
      const { uuid } = await tenant.store(values);
      await expect(tenant.client.claim(uuid, instance)).rejects.toMatchObject({ name: 'BaremetalTaken' });
      expect(tenant.requests('PATCH')).toEqual([]);
    },
  );

  it('that somebody else was faster with is BaremetalTaken, and is not tried again', async () => {
    const { uuid } = await tenant.store();
    tenant.mishap('PATCH', async (_wanted, send) => {
      await tenant.force(uuid, { instance_uuid: otherInstance });
      return send();
    });
    await expect(tenant.client.claim(uuid, instance)).rejects.toMatchObject({ name: 'BaremetalTaken' });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('of a locked node is BaremetalTaken, and is not tried again', async () => {
    const { uuid } = await tenant.store({ reservation: 'power-1' });
    await expect(tenant.client.claim(uuid, instance)).rejects.toMatchObject({ name: 'BaremetalTaken' });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('whose answer is lost is seen to have been done', async () => {
    const { uuid } = await tenant.store();
    tenant.mishap('PATCH', lost);
    expect(await tenant.client.claim(uuid, instance)).toMatchObject({ uuid, instance_uuid: instance });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('that was not made, as far as can be seen, is Unavailable and not tried again', async () => {
    const { uuid } = await tenant.store();
    tenant.mishap('PATCH', silent);
    await expect(tenant.client.claim(uuid, instance)).rejects.toMatchObject({ name: 'Unavailable' });
    expect((await tenant.read(uuid)).instance_uuid).toBeNull();
    expect(tenant.requests('PATCH')).toEqual([]);
  });

  it('for an instance that has another node is BaremetalConflict, so that no third one is tried', async () => {
    const first = await tenant.store();
    const second = await tenant.store();
    await tenant.client.claim(first.uuid, instance);
    await expect(tenant.client.claim(second.uuid, instance)).rejects.toMatchObject({
      name: 'BaremetalConflict',
      message: expect.stringContaining(first.uuid),
    });
  });

  it('of one node by two instances is won by one', async () => {
    const { uuid } = await tenant.store();
    const outcomes = await Promise.allSettled([
      tenant.client.claim(uuid, instance),
      tenant.client.claim(uuid, otherInstance),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { name: 'BaremetalTaken' } });
  });
});

describe('instance_info', () => {
  it('gets and loses entries, and keeps the others', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, instance_info: { old: '1', kept: '2' } });
    const change = { add: { display_name: 's1', 'a/b~c': '3' }, remove: ['old', 'never'] };
    await tenant.client.changeInstanceInfo(uuid, instance, change);
    expect(await info(uuid)).toEqual({ kept: '2', display_name: 's1', 'a/b~c': '3' });
  });

  it('that is as it should be is not written', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, instance_info: { traits: ['A'], x: '1' } });
    await tenant.client.changeInstanceInfo(uuid, instance, { add: { traits: ['A'], x: '1' }, remove: ['y'] });
    expect(tenant.requests('PATCH')).toEqual([]);
  });

  it('is written once though the answer is lost', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, instance_info: { old: '1' } });
    tenant.mishap('PATCH', lost);
    await tenant.client.changeInstanceInfo(uuid, instance, { add: { x: '1' }, remove: ['old'] });
    expect(await info(uuid)).toEqual({ x: '1' });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('of a node that has another instance is not touched', async () => {
    const { uuid } = await tenant.store({ instance_uuid: otherInstance });
    const change = tenant.client.changeInstanceInfo(uuid, instance, { add: { x: '1' } });
    await expect(change).rejects.toMatchObject({ name: 'BaremetalTaken' });
    expect(await info(uuid)).toEqual({});
  });

  it('is written when the node is not locked any more', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, reservation: 'power-1' });
    tenant.mishap(
      'PATCH',
      async (_wanted, send) => send(),
      async (_wanted, send) => {
        await tenant.force(uuid, { reservation: null });
        return send();
      },
    );
    await tenant.client.changeInstanceInfo(uuid, instance, { add: { x: '1' } });
    expect(await info(uuid)).toEqual({ x: '1' });
  });

  it('of a node that stays locked is BaremetalLocked after a while', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, reservation: 'power-1' });
    const began = tenant.platform.clock.now();
    const change = tenant.client.changeInstanceInfo(uuid, instance, { add: { x: '1' } });
    await expect(change).rejects.toMatchObject({ name: 'BaremetalLocked', code: 500 });
    expect(tenant.requests('PATCH')).toHaveLength(8);
    expect(tenant.platform.clock.now() - began).toBeGreaterThan(15_000);
  });

  it('that is refused is BaremetalRefused, with the reason and not tried again', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance });
    const change = tenant.client.changeInstanceInfo(uuid, instance, { add: { configdrive: 'abc' } });
    await expect(change).rejects.toMatchObject({
      name: 'BaremetalRefused',
      message: expect.stringMatching(/^PATCH .*instance_info.configdrive can only be a URL.*\(400\)$/),
    });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('of a node that is on its way is BaremetalConflict at once', async () => {
    const { uuid } = await tenant.store({
      instance_uuid: instance,
      provision_state: 'wait call-back',
      target_provision_state: 'active',
    });
    const change = tenant.client.changeInstanceInfo(uuid, instance, { add: { x: '1' } });
    await expect(change).rejects.toMatchObject({ name: 'BaremetalConflict' });
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });
});

describe('a release', () => {
  it('takes instance and instance_info off the node', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, instance_info: { x: '1' } });
    await tenant.client.release(uuid, instance);
    expect(await tenant.read(uuid)).toMatchObject({
      instance_uuid: null,
      instance_info: {},
      provision_state: 'available',
    });
  });

  it('takes them off a node in maintenance too', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance, instance_info: { x: '1' }, maintenance: true });
    await tenant.client.release(uuid, instance);
    expect(await tenant.read(uuid)).toMatchObject({ instance_uuid: null, instance_info: {} });
  });

  it('that is repeated, or of a node that is gone, counts as done', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance });
    tenant.mishap('PATCH', lost);
    await tenant.client.release(uuid, instance);
    await tenant.client.release(uuid, instance);
    await tenant.client.release('00000000-0000-4000-8000-00000000dead', instance);
    expect(tenant.requests('PATCH')).toHaveLength(1);
  });

  it('never touches the node of another instance', async () => {
    const { uuid } = await tenant.store({ instance_uuid: otherInstance, instance_info: { x: '1' } });
    await tenant.client.release(uuid, instance);
    expect(await tenant.read(uuid)).toMatchObject({ instance_uuid: otherInstance, instance_info: { x: '1' } });
  });

  it('of a node that is on its way is BaremetalConflict', async () => {
    const { uuid } = await tenant.store({ instance_uuid: instance });
    tenant.mishap('PATCH', refusing(409, `Node ${uuid} can not be updated while a state transition is in progress.`));
    await expect(tenant.client.release(uuid, instance)).rejects.toMatchObject({ name: 'BaremetalConflict' });
  });
});
