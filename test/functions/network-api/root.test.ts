/** The documents by which clients discover the Networking API (compute-api.md 9). */
import { expect, it } from 'vitest';

import { create } from '../../../functions/network-api/app.ts';
import { Config } from '../../../functions/network-api/config.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { askingOf } from '../../fakes/http.ts';
import { environmentWith } from '../../fakes/settings.ts';

const ask = askingOf(create(createMemoryPlatform(), Config.parse(environmentWith())), '/network');
const base = 'http://cloud.test/network';

it('the root tells everybody where v2.0 is', async () => {
  expect(await ask('GET /')).toMatchObject({
    status: 200,
    body: { versions: [{ id: 'v2.0', status: 'CURRENT', links: [{ rel: 'self', href: `${base}/v2.0/` }] }] },
  });
});

it('v2.0 tells of its collections, with and without a slash at the end', async () => {
  for (const line of ['GET /v2.0', 'GET /v2.0/']) {
    const { status, body } = await ask(line);
    expect([status, Array.isArray(body.resources)]).toEqual([200, true]);
  }
});

it('a path that is none is told so by the name that clients know', async () => {
  expect(await ask('GET /v2.0/nothing')).toMatchObject({
    status: 404,
    body: { NeutronError: { type: 'HTTPNotFound', detail: '' } },
  });
});
