/** The documents by which clients discover the Image API (compute-api.md 9). */
import { expect, it } from 'vitest';

import { create } from '../../../functions/image-api/app.ts';
import { Config } from '../../../functions/image-api/config.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { askingOf } from '../../fakes/http.ts';
import { environmentWith } from '../../fakes/settings.ts';

const ask = askingOf(create(createMemoryPlatform(), Config.parse(environmentWith())), '/image');

it.each([
  ['GET /', 300],
  ['GET /v2', 300],
  ['GET /v2/', 300],
  ['GET /versions', 200],
])('%s tells everybody where v2 is, with %i', async (line, status) => {
  expect(await ask(line)).toMatchObject({
    status,
    body: {
      versions: expect.arrayContaining([
        { id: 'v2.17', status: 'CURRENT', links: [{ rel: 'self', href: 'http://cloud.test/image/v2/' }] },
        { id: 'v2.0', status: 'SUPPORTED', links: [{ rel: 'self', href: 'http://cloud.test/image/v2/' }] },
      ]),
    },
  });
});

it('a path that is none is a page that says so', async () => {
  const { status, text, headers } = await ask('GET /v2/nothing');
  expect([status, headers['Content-Type']]).toEqual([404, 'text/html; charset=UTF-8']);
  expect(text).toContain('There is nothing at this path.');
});
