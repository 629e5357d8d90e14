/** A hardware type is one row, an implementation of an interface one word: clients see both, and may have them. */
import { expect, it } from 'vitest';

import { hardwareTypes } from '../../../layers/domain/hardware-types.ts';

const fake = hardwareTypes['fake-hardware']!;
Object.assign(hardwareTypes, {
  sample: {
    interfaces: { ...fake.interfaces, power: ['sampled', 'fake'] },
    properties: { sample_key: { secret: true, doc: 'Opens it.' } },
  },
});

const { createFront } = await import('./front.ts');
const { request } = createFront();

it('is listed with its interfaces and its properties', async () => {
  expect((await request('GET /v1/drivers')).body.drivers).toContainEqual(expect.objectContaining({ name: 'sample' }));
  expect((await request('GET /v1/drivers/sample')).body).toMatchObject({
    default_power_interface: 'sampled',
    enabled_power_interfaces: ['sampled', 'fake'],
  });
  expect((await request('GET /v1/drivers/sample/properties')).body).toEqual({ sample_key: 'Opens it.' });
});

it('is had by nodes, with its defaults, and its secrets are sealed', async () => {
  const body = { driver: 'sample', driver_info: { sample_key: 'HUNTER2' } };
  const made = await request('POST /v1/nodes', { body });
  expect(made).toMatchObject({
    status: 201,
    body: { power_interface: 'sampled', boot_interface: 'fake', driver_info: { sample_key: '******' } },
  });
  expect((await request('POST /v1/nodes', { body: { ...body, power_interface: 'redfish' } })).error).toContain(
    'sampled, fake',
  );
});
