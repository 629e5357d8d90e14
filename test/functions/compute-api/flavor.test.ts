/** Flavors (compute-api.md 4), through the front door. */
import { describe, expect, it } from 'vitest';

import { ann, bob, createFront, root, tenant } from './front.ts';

const at = '/v2.1/flavors';
const small = { name: 'bm.small', ram: 2048, vcpus: 2, disk: 20 };

const withFlavors = async (...flavors: object[]) => {
  const front = createFront();
  for (const flavor of flavors) {
    const answer = await front.request(`POST ${at}`, { subject: root, body: { flavor: { ...small, ...flavor } } });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  return front;
};
const idsIn = (body: { flavors: { id: string }[] }) => body.flavors.map(({ id }) => id);

describe('a flavor', () => {
  it('is made by an administrator and shown to everybody', async () => {
    const { request } = await withFlavors({ id: 'bm-small', description: 'Small.' });
    expect((await request(`GET ${at}/bm-small`, { version: 75 })).body).toEqual({
      flavor: {
        id: 'bm-small',
        name: 'bm.small',
        description: 'Small.',
        ram: 2048,
        vcpus: 2,
        disk: 20,
        swap: 0,
        'OS-FLV-EXT-DATA:ephemeral': 0,
        'OS-FLV-DISABLED:disabled': false,
        'os-flavor-access:is_public': true,
        rxtx_factor: 1,
        extra_specs: {},
        links: [
          { rel: 'self', href: 'http://cloud.test/compute/v2.1/flavors/bm-small' },
          { rel: 'bookmark', href: 'http://cloud.test/compute/flavors/bm-small' },
        ],
      },
    });
  });

  it('tells no swap as an empty text below 2.75, and knows neither description nor extra specs in the beginning', async () => {
    const { request } = await withFlavors({ id: 'a' });
    const { flavor } = (await request(`GET ${at}/a`, { version: null })).body;
    expect(flavor.swap).toBe('');
    expect(Object.keys(flavor as object)).not.toEqual(expect.arrayContaining(['description']));
    expect(flavor).not.toHaveProperty('extra_specs');
    expect((await request(`GET ${at}/a`, { version: 61 })).body.flavor).toMatchObject({ swap: '', extra_specs: {} });
  });

  it('is found by its id, never by its name', async () => {
    const { request } = await withFlavors({ id: 'a' });
    expect(await request(`GET ${at}/bm.small`)).toMatchObject({
      status: 404,
      body: { itemNotFound: { code: 404, message: 'Flavor bm.small could not be found.' } },
    });
  });

  it('without an id gets a UUID', async () => {
    const { request } = await withFlavors({}, { name: 'other', id: 'auto' });
    const ids = idsIn((await request(`GET ${at}`)).body);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['an id', { id: 'a', name: 'x' }, 'Flavor with ID a already exists.'],
    ['a name', { id: 'b' }, 'Flavor with name bm.small already exists.'],
  ])('has %s that no other has', async (_what, second, message) => {
    const { request } = await withFlavors({ id: 'a' });
    const answer = await request(`POST ${at}`, { subject: root, body: { flavor: { ...small, ...second } } });
    expect(answer).toMatchObject({ status: 409, body: { conflictingRequest: { message } } });
  });

  it.each([
    ['no memory', { ram: 0 }, 'flavor.ram'],
    ['half a core', { vcpus: 0.5 }, 'flavor.vcpus'],
    ['a word that is no field', { colour: 'red' }, 'Unexpected arguments: flavor.colour.'],
    ['extra specs', { extra_specs: {} }, 'Unexpected arguments: flavor.extra_specs.'],
  ])('is refused with %s', async (_what, more, message) => {
    const { request } = createFront();
    const answer = await request(`POST ${at}`, { subject: root, body: { flavor: { ...small, ...more } } });
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('takes a description from 2.55 on, which can be changed then', async () => {
    const { request } = await withFlavors({ id: 'a' });
    const described = { flavor: { ...small, name: 'b', description: 'B' } };
    expect((await request(`POST ${at}`, { subject: root, version: 54, body: described })).status).toBe(400);
    const body = { flavor: { description: 'Other.' } };
    expect((await request(`PUT ${at}/a`, { subject: root, version: 54, body })).status).toBe(404);
    expect((await request(`PUT ${at}/a`, { subject: root, version: 55, body })).body.flavor.description).toBe('Other.');
    expect((await request(`GET ${at}/a`)).body.flavor.description).toBe('Other.');
  });

  it('is gone when it was deleted, and its names are free', async () => {
    const { request } = await withFlavors({ id: 'a' });
    expect(await request(`DELETE ${at}/a`, { subject: root })).toMatchObject({ status: 202, text: '' });
    expect((await request(`GET ${at}/a`)).status).toBe(404);
    expect((await request(`POST ${at}`, { subject: root, body: { flavor: { ...small, id: 'a' } } })).status).toBe(200);
  });
});

describe('a list of flavors', () => {
  const three = [
    { id: '3', name: 'large', ram: 8192, disk: 80 },
    { id: '1', name: 'medium', ram: 4096, disk: 40 },
    { id: '2', name: 'tiny', ram: 1024, disk: 10 },
  ];

  it('is brief, with everything at /detail, by id', async () => {
    const { request } = await withFlavors(...three);
    const { body } = await request(`GET ${at}`, { version: 1 });
    expect(idsIn(body)).toEqual(['1', '2', '3']);
    expect(Object.keys(body.flavors[0] as object)).toEqual(['id', 'name', 'links']);
    expect((await request(`GET ${at}/detail`)).body.flavors[2]).toMatchObject({ id: '3', ram: 8192 });
  });

  it.each([
    ['sort_key=memory_mb', ['2', '1', '3']],
    ['sort_key=name&sort_dir=desc', ['2', '1', '3']],
    ['minRam=4096', ['1', '3']],
    ['minDisk=41', ['3']],
    ['limit=1', ['1']],
    ['limit=0', ['1', '2', '3']],
    ['marker=1', ['2', '3']],
  ])('%s', async (query, ids) => {
    const { request } = await withFlavors(...three);
    expect(idsIn((await request(`GET ${at}?${query}`)).body)).toEqual(ids);
  });

  it('leads on to the next page, and ends', async () => {
    const { request } = await withFlavors(...three);
    const { body } = await request(`GET ${at}?limit=2`);
    expect(body.flavors_links).toEqual([
      { rel: 'next', href: 'http://cloud.test/compute/v2.1/flavors?limit=2&marker=2' },
    ]);
    expect((await request(`GET ${at}?limit=2&marker=2`)).body).not.toHaveProperty('flavors_links');
  });

  it.each(['marker=none', 'limit=-1', 'sort_key=colour', 'sort_dir=up', 'minRam=much', 'colour=red'])(
    '%s is refused',
    async (query) => {
      const { request } = await withFlavors(...three);
      expect((await request(`GET ${at}?${query}`)).status).toBe(400);
    },
  );
});

describe('a flavor that is not public', () => {
  const secret = { id: 'secret', 'os-flavor-access:is_public': false };
  const granted = async () => {
    const front = await withFlavors(secret);
    const body = { addTenantAccess: { tenant: 'red' } };
    const answer = await front.request(`POST ${at}/secret/action`, { subject: root, body });
    return { ...front, answer };
  };

  it('is nothing to who was not given it', async () => {
    const { request } = await granted();
    for (const line of [`GET ${at}/secret`, `GET ${at}/secret/os-extra_specs`]) {
      expect((await request(line, { subject: bob })).status).toBe(404);
      expect((await request(line, { subject: ann })).status).toBe(200);
    }
    expect(idsIn((await request(`GET ${at}?is_public=None`, { subject: bob })).body)).toEqual([]);
    expect(idsIn((await request(`GET ${at}`, { subject: ann })).body)).toEqual(['secret']);
  });

  it('is told with its projects', async () => {
    const { request, answer } = await granted();
    const flavor_access = ['admin', 'red'].map((tenant_id) => ({ flavor_id: 'secret', tenant_id }));
    expect(answer.body).toEqual({ flavor_access });
    expect((await request(`GET ${at}/secret/os-flavor-access`, { subject: root })).body).toEqual({ flavor_access });
  });

  it('is taken away again', async () => {
    const { request } = await granted();
    const body = { removeTenantAccess: { tenant: 'red' } };
    expect((await request(`POST ${at}/secret/action`, { subject: root, body })).status).toBe(200);
    expect((await request(`GET ${at}/secret`, { subject: ann })).status).toBe(404);
    expect((await request(`POST ${at}/secret/action`, { subject: root, body })).status).toBe(404);
  });

  it('is given once, and a public one never', async () => {
    const { request } = await granted();
    const body = { addTenantAccess: { tenant: 'red' } };
    expect((await request(`POST ${at}/secret/action`, { subject: root, body })).status).toBe(409);
    await request(`POST ${at}`, { subject: root, body: { flavor: { ...small, name: 'p', id: 'public' } } });
    expect((await request(`POST ${at}/public/action`, { subject: root, body })).status).toBe(409);
    expect((await request(`GET ${at}/public/os-flavor-access`, { subject: root })).status).toBe(404);
  });

  it('is listed for administrators who ask for it', async () => {
    const { request } = await withFlavors({ id: 'open' }, { ...secret, name: 'secret' });
    const as = tenant('eve', 'green', 'admin');
    const ids = async (query: string) => idsIn((await request(`GET ${at}${query}`, { subject: as })).body);
    expect(await ids('')).toEqual(['open']);
    expect(await ids('?is_public=None')).toEqual(['open', 'secret']);
    expect(await ids('?is_public=False')).toEqual(['secret']);
    expect(await ids('?is_public=True')).toEqual(['open']);
  });
});

describe('extra specs', () => {
  const specs = { 'resources:CUSTOM_SMALL': '1', 'trait:CUSTOM_GPU': 'required' };
  const specced = async () => {
    const front = await withFlavors({ id: 'a' });
    const answer = await front.request(`POST ${at}/a/os-extra_specs`, { subject: root, body: { extra_specs: specs } });
    return { ...front, answer };
  };

  it('are merged into those that there are, and shown with the flavor', async () => {
    const { request, answer } = await specced();
    expect(answer).toMatchObject({ status: 200, body: { extra_specs: specs } });
    const more = { extra_specs: { 'hw:any': 2 } };
    expect((await request(`POST ${at}/a/os-extra_specs`, { subject: root, body: more })).body).toEqual({
      extra_specs: { 'hw:any': '2' },
    });
    const all = { ...specs, 'hw:any': '2' };
    expect((await request(`GET ${at}/a/os-extra_specs`)).body).toEqual({ extra_specs: all });
    expect((await request(`GET ${at}/a`)).body.flavor.extra_specs).toEqual(all);
  });

  it('are read, set and removed one by one', async () => {
    const { request } = await specced();
    const key = 'resources:CUSTOM_SMALL';
    const path = `${at}/a/os-extra_specs/${key}`;
    expect((await request(`GET ${path}`)).body).toEqual({ [key]: '1' });
    expect((await request(`PUT ${path}`, { subject: root, body: { [key]: '2' } })).body).toEqual({ [key]: '2' });
    expect((await request(`PUT ${path}`, { subject: root, body: { other: '2' } })).status).toBe(400);
    expect((await request(`DELETE ${path}`, { subject: root })).status).toBe(200);
    for (const verb of ['GET', 'DELETE']) {
      expect((await request(`${verb} ${path}`, { subject: root })).status).toBe(404);
    }
  });

  it('that no machine could be asked for are refused', async () => {
    const { request } = await specced();
    const body = { extra_specs: { 'trait:CUSTOM_GPU': 'perhaps' } };
    const answer = await request(`POST ${at}/a/os-extra_specs`, { subject: root, body });
    expect(answer.status).toBe(400);
    expect((await request(`GET ${at}/a/os-extra_specs`)).body).toEqual({ extra_specs: specs });
  });
});
