import { describe, expect, it } from 'vitest';

import { hardwareTypes } from '../../../layers/domain/hardware-types.ts';
import { createFront } from './front.ts';

const { request } = createFront({ INGOT_SITE: 'site-1' });

describe('GET drivers', () => {
  it('lists the hardware types by name', async () => {
    const { body } = await request('GET /v1/drivers');
    expect(body).toEqual({
      drivers: ['fake-hardware', 'idrac', 'redfish'].map((name) => ({
        name,
        hosts: ['site-1'],
        type: 'dynamic',
        links: [
          { href: `http://metal.test/v1/drivers/${name}`, rel: 'self' },
          { href: `http://metal.test/drivers/${name}`, rel: 'bookmark' },
        ],
        properties: [
          { href: `http://metal.test/v1/drivers/${name}/properties`, rel: 'self' },
          { href: `http://metal.test/drivers/${name}/properties`, rel: 'bookmark' },
        ],
      })),
    });
  });

  it('has no classic drivers, and knows no third type', async () => {
    expect((await request('GET /v1/drivers?type=classic')).body).toEqual({ drivers: [] });
    expect((await request('GET /v1/drivers?type=dynamic')).body.drivers).toHaveLength(3);
    expect((await request('GET /v1/drivers?type=other')).status).toBe(400);
  });

  it('shows interfaces with detail, or the fields that are asked for', async () => {
    const [, idrac, redfish] = (await request('GET /v1/drivers?detail=True')).body.drivers;
    expect(redfish).toMatchObject({
      default_deploy_interface: 'direct',
      enabled_deploy_interfaces: ['direct', 'ramdisk', 'custom-agent'],
    });
    expect(idrac).toMatchObject({
      default_power_interface: 'idrac-redfish',
      enabled_power_interfaces: ['idrac-redfish', 'redfish'],
      enabled_boot_interfaces: ['idrac-redfish-virtual-media'],
      enabled_management_interfaces: ['idrac-redfish'],
      enabled_firmware_interfaces: ['redfish', 'no-firmware'],
    });
    const { drivers } = (await request('GET /v1/drivers?fields=name,Hosts')).body;
    expect(Object.keys(drivers[0])).toEqual(['name', 'hosts', 'links']);
    expect((await request('GET /v1/drivers?fields=name&detail=true')).status).toBe(400);
    expect((await request('GET /v1/drivers?fields=bogus')).status).toBe(400);
    expect((await request('GET /v1/drivers?detail=maybe')).status).toBe(400);
  });

  it.each([
    ['type=dynamic', 30],
    ['detail=true', 30],
    ['fields=name', 77],
  ])('%s is 406 below 1.%i', async (query, since) => {
    expect((await request(`GET /v1/drivers?${query}`, { version: `1.${since - 1}` })).status).toBe(406);
    expect((await request(`GET /v1/drivers?${query}`, { version: `1.${since}` })).status).toBe(200);
  });

  it.each([
    [1, 3],
    [14, 4],
    [30, 5 + 2 * 9],
    [33, 5 + 2 * 10],
    [38, 5 + 2 * 11],
    [40, 5 + 2 * 12],
    [86, 5 + 2 * 13],
  ])('one driver at 1.%i has %i fields', async (version, count) => {
    const { body } = await request('GET /v1/drivers/redfish', { version: `1.${version}` });
    expect(Object.keys(body)).toHaveLength(count);
  });

  it('tells the properties of driver_info', async () => {
    const { body } = await request('GET /v1/drivers/redfish/properties');
    expect(Object.keys(body)).toEqual(Object.keys(hardwareTypes['redfish']!.properties));
    expect(body.redfish_address).toContain('URL of the BMC');
    expect((await request('GET /v1/drivers/idrac/properties')).body).toEqual(body);
    expect(Object.keys((await request('GET /v1/drivers/fake-hardware/properties')).body)).toEqual(['B1', 'B2']);
  });

  it.each(['ipmi', 'constructor'])('%s is 404', async (name) => {
    expect((await request(`GET /v1/drivers/${name}`)).status).toBe(404);
    expect((await request(`GET /v1/drivers/${name}/properties`)).status).toBe(404);
  });
});
