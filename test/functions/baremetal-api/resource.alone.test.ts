/** A resource whose records stand alone is a table of fields, a kind and a row: here lamps, with all their routes. */
import * as z from 'zod';
import { expect, it } from 'vitest';

import { chassis } from '../../../layers/domain/chassis.ts';
import { kinds, type StoredChassis } from '../../../layers/store/kinds/kinds.ts';
import type { Kind } from '../../../layers/store/kinds/kind.ts';
import { chassisRoutes } from '../../../functions/baremetal-api/chassis.ts';
import { recordRoutes, uuidFinder } from '../../../functions/baremetal-api/crud.ts';
import type { Route } from '../../../functions/baremetal-api/route.ts';

/** Its records have what each record has, and a field of their own; the rest is as with chassis. */
const { uuid, extra, links, created_at, updated_at } = chassis;
const colour = { access: 'update', schema: z.string(), filter: true, summary: true, doc: 'Of its light.' } as const;
const lamp: Kind<StoredChassis> = {
  ...kinds.chassis,
  name: 'lamp',
  title: 'Lamp',
  fields: { uuid, extra, links, created_at, updated_at, colour },
  taken: { uuid: 'A lamp with uuid * already exists.' },
};
Object.assign(kinds, { lamp });

const row = recordRoutes({
  collection: 'lamps',
  ident: 'uuid',
  since: 60,
  kind: lamp,
  policy: {
    list: 'baremetal:chassis:get',
    get: 'baremetal:chassis:get',
    create: 'baremetal:chassis:create',
    update: 'baremetal:chassis:update',
    delete: 'baremetal:chassis:delete',
  },
  find: uuidFinder(lamp),
});
// The line that `routes.ts` would have, before it is loaded.
(chassisRoutes as Route[]).push(...row);

const { createFront } = await import('./front.ts');
const { request } = createFront();

it('is made, listed, shown, filtered, changed and deleted', async () => {
  const made = await request('POST /v1/lamps', { body: { colour: 'red' } });
  expect(made).toMatchObject({ status: 201, body: { colour: 'red' } });
  const at = `/v1/lamps/${made.body.uuid as string}`;
  expect(made.headers['Location']).toBe(`http://metal.test${at}`);
  expect((await request('POST /v1/lamps', { body: { uuid: made.body.uuid } })).error).toContain('A lamp with uuid');
  expect((await request('GET /v1/lamps?colour=red')).body.lamps).toMatchObject([{ uuid: made.body.uuid }]);
  expect((await request('GET /v1/lamps?colour=blue')).body.lamps).toEqual([]);
  const patch = [{ op: 'replace', path: '/colour', value: 'blue' }];
  expect(await request(`PATCH ${at}`, { body: patch })).toMatchObject({ status: 200, body: { colour: 'blue' } });
  expect((await request(`GET ${at}`)).body).toMatchObject({ colour: 'blue' });
  expect((await request(`DELETE ${at}`)).status).toBe(204);
  expect((await request(`GET ${at}`)).error).toContain('Lamp');
});

it('is not there before its version, and in the documents from then on', async () => {
  expect((await request('GET /v1/lamps', { version: '1.59' })).status).toBe(404);
  const { body } = await request('GET /v1/openapi.json');
  expect(Object.keys(body.paths).filter((path) => path.includes('lamps'))).toEqual(['/v1/lamps', '/v1/lamps/{uuid}']);
  expect(body.components.schemas.Lamp.properties).toHaveProperty('colour');
});
