import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, redfishInfo, type Front } from './node/stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const at = (uuid: string, rest = '') => `/v1/nodes/${uuid}/vendor_passthru${rest}`;

describe('vendor passthru', () => {
  it('tells its methods', async () => {
    const { uuid } = await front.store();
    const { body } = await front.request(`GET ${at(uuid, '/methods')}`);
    expect(body.third_method_sync).toEqual({
      http_methods: ['POST'],
      async: false,
      attach: false,
      description: 'Whether bar is meow.',
      require_exclusive_lock: true,
    });
    expect(body.second_method).toMatchObject({ async: true });
  });

  it.each([
    ['/third_method_sync', { bar: 'meow' }, 200, true],
    ['/third_method_sync', { bar: 'woof' }, 200, false],
    ['?method=third_method_sync', { bar: 'meow' }, 200, true],
    ['?method=third_method_sync&bar=meow', undefined, 200, true],
    ['/second_method', { bar: 'kazoo' }, 202, undefined],
  ])('calls %s with %j', async (rest, given, status, body) => {
    const { uuid } = await front.store();
    expect(await front.request(`POST ${at(uuid, rest)}`, { body: given })).toMatchObject({ status, body });
  });

  it.each([
    ['POST', '/levitate', {}, 'No handler for method levitate.'],
    ['GET', '/second_method', undefined, 'The method second_method does not support HTTP GET, use POST.'],
    ['POST', '', {}, 'Missing mandatory parameter: method.'],
    ['POST', '/second_method', {}, "Parameter 'bar' not passed to method 'second_method'."],
    ['POST', '/constructor', {}, 'No handler for method constructor.'],
  ])('refuses %s %s %j', async (verb, rest, body, text) => {
    const { uuid } = await front.store();
    const answer = await front.request(`${verb} ${at(uuid, rest)}`, { body });
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(text)]);
  });

  it('of a locked node calls only what needs no lock', async () => {
    const { uuid } = await front.store({ reservation: 'r' });
    const call = async (name: string) =>
      (await front.request(`POST ${at(uuid, `/${name}`)}`, { body: { bar: 'x' } })).status;
    expect([await call('third_method_sync'), await call('fourth_method_shared_lock')]).toEqual([409, 202]);
  });

  it('of a node that has none is refused', async () => {
    const { uuid } = await front.store({ vendor_interface: 'no-vendor' });
    const error = 'Driver fake-hardware does not support vendor (disabled or not implemented).';
    expect(await front.request(`GET ${at(uuid, '/methods')}`)).toMatchObject({ status: 400, error });
    expect(await front.request(`POST ${at(uuid, '/x')}`, { body: {} })).toMatchObject({ status: 400, error });
  });

  it('empties the virtual drives of a redfish node, as DELETE vmedia does', async () => {
    const { uuid } = await front.store({ driver: 'redfish', driver_info: redfishInfo });
    const call = async (body: object) => (await front.request(`POST ${at(uuid, '/eject_vmedia')}`, { body })).status;
    expect([await call({ boot_device: 'tape' }), await call({ x: 1 })]).toEqual([400, 400]);
    expect(await call({ boot_device: 'dvd' })).toBe(202);
    expect(front.platform.workflows.started).toMatchObject([
      { workflow: 'management', input: { action: 'detach_media' } },
    ]);
  });

  it('subscribes to the events of a redfish node, tells of subscriptions, and ends them', async () => {
    const { uuid } = await front.store({ driver: 'redfish', driver_info: redfishInfo });
    const call = async (verb: string, method: string, body?: object) =>
      front.request(`${verb} ${at(uuid, `?method=${method}`)}`, { body });
    const wish = { Destination: 'https://events.example.org/hook', Context: 'c', HttpHeaders: [{ X: 'secret' }] };
    const shown = { Id: '1', Destination: wish.Destination, Protocol: 'Redfish', Context: 'c', EventTypes: ['Alert'] };
    expect(await call('POST', 'create_subscription', wish)).toMatchObject({ status: 200, body: shown });
    expect((await call('GET', 'get_all_subscriptions')).body).toEqual({
      Name: 'Event Subscriptions',
      'Members@odata.count': 1,
      Members: [{ '@odata.id': '/redfish/v1/EventService/Subscriptions/1' }],
    });
    expect((await call('GET', 'get_subscription&id=1')).body).toEqual(shown);
    expect((await call('GET', 'get_subscription&id=2')).status).toBe(404);
    expect(await call('DELETE', 'delete_subscription', { id: '1' })).toMatchObject({ status: 200, body: null });
    expect((await call('GET', 'get_all_subscriptions')).body).toMatchObject({ Members: [] });
    expect(JSON.stringify(front.platform.table.items())).not.toContain('secret');
  });

  it.each([
    ['POST', 'create_subscription', {}, 'Destination'],
    ['POST', 'create_subscription', { Destination: 'ftp://x' }, 'must be an http or https URL'],
    ['POST', 'create_subscription', { Destination: 'https://x', EventTypes: 'Alert' }, 'EventTypes'],
    ['POST', 'create_subscription', { Destination: 'https://x', HttpHeaders: [{ a: 1 }] }, 'HttpHeaders'],
    ['POST', 'create_subscription', { Destination: 'https://x', Colour: 'red' }, 'Colour'],
    ['DELETE', 'delete_subscription', {}, 'id'],
    ['POST', 'delete_subscription', { id: '1' }, 'does not support HTTP POST'],
  ])('refuses %s %s with %j', async (verb, method, body, text) => {
    const { uuid } = await front.store({ driver: 'redfish', driver_info: redfishInfo });
    const answer = await front.request(`${verb} ${at(uuid, `/${method}`)}`, { body });
    expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(text)]);
    expect(front.proxy.requests).toEqual([]);
  });

  it('is for system administrators', async () => {
    const { uuid } = await front.store({ owner: 'p1' });
    const owner = { user: 'o', project: 'p1', roles: 'admin', scope: 'project' };
    expect((await front.request(`GET ${at(uuid, '/methods')}`, { subject: owner })).status).toBe(403);
  });

  it('of a driver has no methods', async () => {
    const path = '/v1/drivers/redfish/vendor_passthru';
    expect((await front.request(`GET ${path}/methods`)).body).toEqual({});
    expect((await front.request(`POST ${path}/levitate`, { body: {} })).status).toBe(400);
    expect((await front.request(`POST ${path}?method=levitate`, { body: {} })).error).toContain('There is: none.');
    expect((await front.request('GET /v1/drivers/toaster/vendor_passthru/methods')).status).toBe(404);
  });
});
