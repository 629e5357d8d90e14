import { describe, expect, it } from 'vitest';

import { createLab } from '../lab.ts';

const update = '/UpdateService/Actions/UpdateService.SimpleUpdate';
const versions = async ({ redfish }: ReturnType<typeof createLab>) => ({
  bios: (await redfish('GET', '/UpdateService/FirmwareInventory/BIOS')).body.Version,
  bmc: (await redfish('GET', '/Managers/1')).body.FirmwareVersion,
});
const image = { ImageURI: 'http://images.test/bios-2.5.0.bin' };
const bios = { Targets: ['/m0001/redfish/v1/UpdateService/FirmwareInventory/BIOS'] };

describe('SimpleUpdate', () => {
  it('fetches the image and is done as a task, after which the machine has that version', async () => {
    const fetched: string[] = [];
    const lab = createLab((url) => {
      fetched.push(url);
      return new Response('firmware');
    });
    const { Actions: actions } = (await lab.redfish('GET', '/UpdateService')).body;
    expect(actions['#UpdateService.SimpleUpdate'].target).toBe(`/m0001/redfish/v1${update}`);
    const before = await versions(lab);
    const asked = await lab.redfish('POST', update, { ...image, ...bios });
    expect([asked.status, asked.body.TaskState, fetched]).toEqual([202, 'Running', [image.ImageURI]]);
    expect(await versions(lab)).toEqual(before);
    await lab.advance(200);
    expect((await lab.redfish('GET', '/TaskService/Tasks/1')).body.TaskState).toBe('Completed');
    expect(await versions(lab)).toEqual({ ...before, bios: '2.5.0' });
    expect((await lab.redfish('GET', '/Systems/1')).body.BiosVersion).toBe('2.5.0');
  });

  it('is of the BMC where nothing else is named', async () => {
    const lab = createLab(() => new Response('firmware'));
    await lab.redfish('POST', update, { ImageURI: 'https://images.test/a/bmc-9.9.1.bin', TransferProtocol: 'HTTPS' });
    await lab.advance(200);
    expect((await versions(lab)).bmc).toBe('9.9.1');
  });

  it.each([
    [{}, 'ImageURI'],
    [{ ImageURI: 'ftp://images.test/a' }, 'ImageURI'],
    [{ ...image, TransferProtocol: 'NFS' }, 'TransferProtocol'],
    [{ ...image, Targets: ['/redfish/v1/UpdateService/FirmwareInventory/FPGA'] }, 'Targets'],
  ])('is refused for %j', async (body, name) => {
    const { redfish } = createLab(() => new Response('firmware'));
    const { status, body: said } = await redfish('POST', update, body);
    expect([status, JSON.stringify(said)]).toEqual([400, expect.stringContaining(name)]);
  });

  it('is refused where there is no such image', async () => {
    const { redfish } = createLab();
    expect((await redfish('POST', update, image)).status).toBe(400);
  });
});

it('tells whoever subscribed to alerts of a test event, and nobody else', async () => {
  const told: [string, unknown][] = [];
  const { redfish, advance } = createLab((url, { body }) => {
    told.push([url, JSON.parse(body!)]);
    return new Response('');
  });
  const subscribe = async (Destination: string, EventTypes: string[]) =>
    redfish('POST', '/EventService/Subscriptions', { Destination, EventTypes, Context: 'c', Protocol: 'Redfish' });
  await subscribe('https://one.test/', ['Alert']);
  await subscribe('https://two.test/', ['StatusChange']);
  const at = '/EventService/Actions/EventService.SubmitTestEvent';
  expect((await redfish('POST', at, { EventType: 'Alert', MessageId: 'Base.1.16.Success' })).status).toBe(204);
  await advance(1);
  expect(told).toEqual([
    [
      'https://one.test/',
      expect.objectContaining({ Context: 'c', Events: [expect.objectContaining({ MessageId: 'Base.1.16.Success' })] }),
    ],
  ]);
  expect((await redfish('POST', at, {})).status).toBe(400);
});

it('names the controller of its disk and its volumes, of which there are none', async () => {
  const { redfish } = createLab();
  const { Controllers: controllers, Volumes: volumes } = (await redfish('GET', '/Systems/1/Storage/1')).body;
  const get = async ({ '@odata.id': path }: { '@odata.id': string }) =>
    (await redfish('GET', path.replace('/m0001/redfish/v1', ''))).body;
  expect(await get((await get(controllers)).Members[0])).toMatchObject({ Id: '1', Status: { Health: 'OK' } });
  expect((await get(volumes)).Members).toEqual([]);
});
