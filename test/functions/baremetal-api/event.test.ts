/** POST /v1/events (ironic-api.md 9). */
import { beforeEach, describe, expect, it } from 'vitest';
import { withoutTrail } from '../../fakes/trail.ts';

import { createFront } from './front.ts';

const event = {
  event: 'network.bind_port',
  port_id: '11111111-1111-4111-8111-111111111111',
  mac_address: '52:54:00:00:00:01',
  status: 'ACTIVE',
  device_id: null,
  'binding:host_id': 'compute-1',
  'binding:vnic_type': 'baremetal',
};

let front: ReturnType<typeof createFront>;

beforeEach(() => {
  front = createFront();
});

const post = async (events: unknown, version = 'latest') =>
  front.request('POST /v1/events', { body: { events }, version });

describe('network events', () => {
  it('are logged, each', async () => {
    const other = { ...event, event: 'network.delete_port' };
    expect((await post([event, other])).status).toBe(204);
    expect(withoutTrail(front.platform.log.lines).map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ event: 'network.bind_port', address: event.mac_address, status: 'ACTIVE' }),
      expect.objectContaining({ event: 'network.delete_port', port: event.port_id }),
    ]);
  });

  it.each([
    ['nothing', undefined],
    ['no event', []],
    ['another event', [{ ...event, event: 'network.create_port' }]],
    ['no port', [{ ...event, port_id: undefined }]],
    ['a bad MAC address', [{ ...event, mac_address: 'x' }]],
    ['a bad device', [{ ...event, device_id: 'vm-1' }]],
    ['a strange key', [{ ...event, colour: 'red' }]],
    ['one good and one bad', [event, {}]],
  ])('are refused with 400: %s', async (_what, events) => {
    expect((await post(events)).status).toBe(400);
    expect(withoutTrail(front.platform.log.lines)).toEqual([]);
  });

  it('are there from 1.54, and told of by /v1', async () => {
    expect([(await post([event], '1.53')).status, (await post([event], '1.54')).status]).toEqual([404, 204]);
    const tells = async (version: string) => Object.keys((await front.request('GET /v1', { version })).body);
    expect([(await tells('1.53')).includes('events'), (await tells('1.54')).includes('events')]).toEqual([false, true]);
  });
});
