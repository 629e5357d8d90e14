import { describe, expect, it } from 'vitest';

import { createFront } from './front.ts';

const { request } = createFront({ INGOT_SITE: 'site-1' });

describe('GET conductors', () => {
  const links = [
    { href: 'http://metal.test/v1/conductors/site-1', rel: 'self' },
    { href: 'http://metal.test/conductors/site-1', rel: 'bookmark' },
  ];
  const brief = { hostname: 'site-1', conductor_group: '', alive: true, links };
  const full = { ...brief, drivers: ['fake-hardware', 'idrac', 'redfish'], created_at: null, updated_at: null };

  it('lists the one site', async () => {
    expect((await request('GET /v1/conductors')).body).toEqual({ conductors: [brief] });
    expect((await request('GET /v1/conductors?detail=true&limit=1&sort_key=hostname&sort_dir=desc')).body).toEqual({
      conductors: [full],
    });
    expect((await request('GET /v1/conductors?marker=site-1')).body).toEqual({ conductors: [] });
    expect((await request('GET /v1/conductors?fields=alive')).body).toEqual({ conductors: [{ alive: true, links }] });
  });

  it('shows it by hostname', async () => {
    expect((await request('GET /v1/conductors/site-1')).body).toEqual(full);
    expect((await request('GET /v1/conductors/site-1?fields=drivers')).body).toEqual({ drivers: full.drivers, links });
    expect((await request('GET /v1/conductors/other')).status).toBe(404);
  });

  it.each([
    ['limit=0', 400],
    ['limit=x', 400],
    ['sort_key=alive', 400],
    ['sort_key=drivers', 400],
    ['sort_dir=up', 400],
    ['fields=bogus', 400],
    ['fields=alive&detail=true', 400],
    ['bogus=1', 400],
    ['marker=other', 404],
  ])('?%s is %i', async (query, status) => {
    expect((await request(`GET /v1/conductors?${query}`)).status).toBe(status);
  });

  it('does not exist below 1.49', async () => {
    expect((await request('GET /v1/conductors', { version: '1.48' })).status).toBe(404);
  });
});
