/** Requests to a node that somebody works on wait a while, as Ironic's do. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { createFrontWithNodes, redfishInfo, type Front } from './stored.ts';

/** A front whose locks come free so many milliseconds from now; undefined: they never do. */
const createLocked = async (free: number | undefined, env: Record<string, string> = {}, more: object = {}) => {
  const front = createFrontWithNodes(env);
  const { uuid } = await front.store({ reservation: 'run-1', ...more });
  const clock = front.platform.clock;
  const began = clock.now();
  const pauses: number[] = [];
  const { sleep } = clock;
  Object.assign(clock, {
    sleep: async (ms: number) => {
      pauses.push(ms);
      await sleep(ms);
      const { reservation } = await front.read(uuid);
      if (reservation === 'run-1' && free !== undefined && clock.now() - began >= free) {
        await front.force(uuid, { reservation: null });
      }
    },
  });
  return { front, uuid, pauses, passed: () => clock.now() - began };
};

const redfish = { driver: 'redfish', driver_info: redfishInfo, provision_state: 'active' } as const;
const subscription = { Destination: 'https://events.test/', EventTypes: ['Alert'], Protocol: 'Redfish' };

/** Each with what it is answered once the lock is free. */
const requests: [method: string, rest: string, body: unknown, status: number, node?: object][] = [
  ['DELETE', '', undefined, 204],
  ['PATCH', '', [{ op: 'add', path: '/extra/a', value: 1 }], 200],
  ['PUT', '/states/power', { target: 'power off' }, 202],
  ['PUT', '/states/provision', { target: 'manage' }, 202],
  ['PUT', '/maintenance', undefined, 202],
  ['PUT', '/traits/HW_A', undefined, 204],
  ['POST', '/vifs', { id: 'vif-1' }, 204],
  ['PUT', '/management/boot_device', { boot_device: 'pxe' }, 204, redfish],
  ['GET', '/management/boot_device', undefined, 200, redfish],
  ['PUT', '/management/inject_nmi', {}, 204, redfish],
  ['PUT', '/states/boot_mode', { target: 'uefi' }, 202, redfish],
  ['POST', '/vmedia', { device_type: 'cdrom', image_url: 'https://images.test/a.iso' }, 204, redfish],
  ['DELETE', '/vmedia?device_types=cdrom', undefined, 204, redfish],
  ['POST', '/vendor_passthru?method=create_subscription', subscription, 200, redfish],
];

describe('a request to a locked node', () => {
  it.each(requests)('%s %s waits for the lock', async (method, rest, body, status, more) => {
    const { front, uuid, passed } = await createLocked(1200, {}, more);
    const answer = await front.request(`${method} /v1/nodes/${uuid}${rest}`, { body });
    expect([answer.status, answer.error]).toEqual([status, '']);
    expect(passed()).toBeGreaterThanOrEqual(1200);
    expect(passed()).toBeLessThan(2200);
  });

  it('prepares nothing meanwhile', async () => {
    const { front, uuid } = await createLocked(undefined);
    const stored: string[] = [];
    const { objects } = front.platform;
    const { put } = objects;
    Object.assign(objects, { put: async (...all: Parameters<typeof put>) => (stored.push(all[0]), put(...all)) });
    const configdrive = gzipSync('an image').toString('base64');
    await front.force(uuid, { provision_state: 'available' });
    const body = { target: 'active', configdrive };
    expect(await front.request(`PUT /v1/nodes/${uuid}/states/provision`, { body })).toMatchObject({ status: 409 });
    expect(stored).toEqual([]);
    await front.force(uuid, { reservation: null });
    await front.request(`PUT /v1/nodes/${uuid}/states/provision`, { body });
    expect(stored).toHaveLength(1);
  });

  it('is refused after three seconds, having asked a few times only', async () => {
    const { front, uuid, passed, pauses } = await createLocked(undefined);
    const answer = await front.request(`PUT /v1/nodes/${uuid}/maintenance`);
    expect(answer).toMatchObject({ status: 409, error: expect.stringContaining('is locked by host run-1') });
    expect(passed()).toBeGreaterThan(2000);
    expect(passed()).toBeLessThanOrEqual(3000);
    expect(pauses.length).toBeLessThan(12);
    expect(pauses[0]).toBeLessThanOrEqual(100);
  });

  it('does not come back in step with the others that wait', async () => {
    const { front, uuid, pauses } = await createLocked(undefined);
    const numbers = [0.1, 0.9];
    Object.assign(front.platform.chance, { number: () => numbers.shift() ?? 0.5 });
    await front.request(`PUT /v1/nodes/${uuid}/maintenance`);
    expect(pauses.slice(0, 2).map(Math.round)).toEqual([55, 190]);
  });

  it('is refused at once where the operator wants it so', async () => {
    const { front, uuid, pauses } = await createLocked(1, { INGOT_NODE_LOCKED_WAIT: '0' });
    expect((await front.request(`PUT /v1/nodes/${uuid}/maintenance`)).status).toBe(409);
    expect(pauses).toEqual([]);
  });

  it('goes by what the node is when the lock is free: it may be gone', async () => {
    const { front, uuid } = await createLocked(undefined);
    const { clock } = front.platform;
    const { sleep } = clock;
    Object.assign(clock, {
      sleep: async (ms: number) => {
        await sleep(ms);
        await front.force(uuid, { reservation: null });
        await front.request(`DELETE /v1/nodes/${uuid}`);
      },
    });
    expect((await front.request(`PUT /v1/nodes/${uuid}/maintenance`)).status).toBe(404);
  });

  it('writes nothing while it waits', async () => {
    const { front, uuid } = await createLocked(undefined);
    const { revision } = await front.read(uuid);
    await front.request(`PUT /v1/nodes/${uuid}/states/power`, { body: { target: 'power on' } });
    expect((await front.read(uuid)).revision).toBe(revision);
    expect(await front.events(uuid)).toEqual([]);
  });
});

it('is what other refusals are not: they are told at once', async () => {
  const front: Front = createFrontWithNodes();
  const { uuid } = await front.store({ provision_state: 'active', disable_power_off: true });
  const now = () => front.platform.clock.now();
  const began = now();
  const body = { target: 'power off' };
  expect((await front.request(`PUT /v1/nodes/${uuid}/states/power`, { body })).status).toBe(409);
  expect(now()).toBe(began);
});
