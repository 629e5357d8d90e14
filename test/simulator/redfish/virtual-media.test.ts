import { expect, it } from 'vitest';

import type { ProfileName } from '../../../simulator/profiles.ts';
import { createLab, liveIso } from '../lab.ts';

const image = 'http://images.test/live.iso?signature=x';

/** A lab with the actions of its profile's CD slot. */
const slotOf = (profile: ProfileName, folder: string, id: string, status = 200) => {
  const lab = createLab(() => new Response(liveIso, { status }), profile);
  const path = `/${folder}/VirtualMedia/${id}`;
  return {
    ...lab,
    path,
    show: async () => (await lab.redfish('GET', path)).body as Record<string, unknown>,
    insert: async (body: object = { Image: image }) =>
      lab.redfish('POST', `${path}/Actions/VirtualMedia.InsertMedia`, body),
    eject: async (body?: object) => lab.redfish('POST', `${path}/Actions/VirtualMedia.EjectMedia`, body),
  };
};

it('inserts, shows and ejects an image', async () => {
  const { show, insert, eject } = slotOf('plain', 'Managers/1', 'Cd');
  expect(await show()).toMatchObject({ Image: null, Inserted: false, MediaTypes: ['CD', 'DVD'] });
  expect((await insert()).status).toBe(204);
  expect(await show()).toMatchObject({ Image: image, Inserted: true, WriteProtected: true, ImageName: 'live.iso' });
  expect((await insert()).status).toBe(409);
  expect((await eject()).status).toBe(204);
  expect(await show()).toMatchObject({ Image: null, Inserted: false });
  expect((await eject()).status).toBe(204);
});

it('wants an http or https URL', async () => {
  const { insert } = slotOf('plain', 'Managers/1', 'Cd');
  for (const body of [{}, { Image: 'live.iso' }, { Image: 'nfs://host/live.iso' }]) {
    expect((await insert(body)).status).toBe(400);
  }
});

it('has slots under Systems only on a Dell, where Inserted comes late and the image is looked at', async () => {
  const { show, insert, advance, redfish, world } = slotOf('dell', 'Systems/System.Embedded.1', '1');
  expect((await redfish('GET', '/Managers/iDRAC.Embedded.1/VirtualMedia')).status).toBe(404);
  expect((await insert()).status).toBe(204);
  expect(await show()).toMatchObject({ Inserted: false });
  await advance(3);
  expect(await show()).toMatchObject({ Inserted: true });
  expect(world.log.list()).toMatchObject([{ side: 'media', path: 'http://images.test/live.iso', status: 200 }]);
});

it('refuses an image that cannot be fetched where insertion looks at it', async () => {
  const { insert, show } = slotOf('dell', 'Systems/System.Embedded.1', '1', 403);
  expect(await insert()).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('403') } } });
  expect(await show()).toMatchObject({ Inserted: false });
});

it('wants {} for an eject on an iLO', async () => {
  const { insert, eject } = slotOf('hpe', 'Managers/1', '2');
  await insert();
  expect((await eject()).status).toBe(400);
  expect((await eject({})).status).toBe(204);
});

it('takes Image alone and answers with a task on a Supermicro', async () => {
  const { insert, show, advance, redfish } = slotOf('supermicro', 'Managers/1', 'VirtualMedia1');
  expect((await insert({ Image: image, Inserted: true })).status).toBe(400);
  const { status, headers } = await insert();
  expect(status).toBe(202);
  const monitor = headers['location']!.replace('/m0001/redfish/v1', '');
  expect((await redfish('GET', monitor)).status).toBe(202);
  expect((await redfish('GET', '/TaskService/Tasks/1')).body.TaskState).toBe('Running');
  await advance(4);
  expect((await redfish('GET', monitor)).status).toBe(204);
  expect((await redfish('GET', '/TaskService/Tasks/1')).body.TaskState).toBe('Completed');
  expect(await show()).toMatchObject({ Inserted: true });
});

it('has no actions but takes PATCH with If-Match on a Lenovo', async () => {
  const { insert, show, path, redfish, authorization } = slotOf('lenovo', 'Managers/1', 'EXT1');
  expect((await insert()).status).toBe(404);
  expect(await show()).not.toHaveProperty('Actions');
  expect((await redfish('GET', path)).headers['allow']).toBe('GET, PATCH');
  expect((await redfish('PATCH', path, { Image: image })).status).toBe(428);
  const etag = async () => (await redfish('GET', path)).headers['etag']!;
  const patch = async (body: object) => redfish('PATCH', path, body, { authorization, 'if-match': await etag() });
  expect((await patch({ Image: image, Inserted: true })).status).toBe(204);
  expect(await show()).toMatchObject({ Inserted: true });
  expect((await patch({ Image: null })).status).toBe(204);
  expect(await show()).toMatchObject({ Inserted: false });
});

it('fails as the faults say', async () => {
  const { insert, eject, show, world } = slotOf('plain', 'Managers/1', 'Cd');
  world.faults.add(null, { name: 'media_insert_fails', count: 1 });
  expect((await insert()).status).toBe(500);
  world.faults.add(null, { name: 'media_insert_silent', count: 1 });
  expect((await insert()).status).toBe(204);
  expect(await show()).toMatchObject({ Inserted: false });
  await insert();
  world.faults.add(null, { name: 'media_eject_fails', count: 1 });
  expect((await eject()).status).toBe(500);
  expect(await show()).toMatchObject({ Inserted: true });
});
