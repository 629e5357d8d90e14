/** The documents by which clients discover the Compute API, and what it is at the places around them. */
import { describe, expect, it } from 'vitest';

import { createFront } from './front.ts';

const { request } = createFront();
const base = 'http://cloud.test/compute';

describe('the version documents', () => {
  it('are for everybody, and carry the prefix in their links', async () => {
    const { status, body } = await request('GET /', { subject: null, version: null });
    expect([status, body.versions]).toMatchObject([
      200,
      [{ id: 'v2.1', status: 'CURRENT', version: '2.96', min_version: '2.1', links: [{ href: `${base}/v2.1/` }] }],
    ]);
  });

  it('are the same with and without a slash at the end', async () => {
    const answers = await Promise.all(
      ['GET /v2.1', 'GET /v2.1/'].map(async (line) => request(line, { subject: null })),
    );
    expect(answers.map(({ body }) => body.version.links[0].href as string)).toEqual([`${base}/v2.1/`, `${base}/v2.1/`]);
  });

  it('carry the public endpoint, if there is one', async () => {
    const front = createFront({ INGOT_PUBLIC_ENDPOINT: 'https://cloud.example/' });
    const { body } = await front.request('GET /v2.1');
    expect(body.version.links[0].href).toBe('https://cloud.example/compute/v2.1/');
  });
});

describe('a path', () => {
  it('may have the project in it, and is the same', async () => {
    for (const project of ['0123456789abcdef0123456789abcdef', '2c1e5f60-1b5e-4f4c-9d2e-0a1b2c3d4e5f']) {
      expect(await request(`GET /v2.1/${project}/os-keypairs`)).toMatchObject({ status: 200, body: { keypairs: [] } });
    }
    expect((await request('GET /v2.1/red/os-keypairs')).status).toBe(404);
  });

  it('that is none is told so in the words of Nova', async () => {
    expect(await request('GET /v2.1/os-nothing')).toMatchObject({
      status: 404,
      body: { itemNotFound: { code: 404, message: 'There is nothing at this path.' } },
    });
    expect(await request('PATCH /v2.1/os-keypairs')).toMatchObject({ status: 405, body: { badMethod: { code: 405 } } });
  });
});
