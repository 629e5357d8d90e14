/** Who is let in, and what the others are told: by API Gateway's own answers, which the template words. */
import { describe, expect, inject, it } from 'vitest';

import { tooLarge } from '../../../infra/body-limit.ts';
import { challengeOf } from '../../../infra/challenge.ts';
import { apis } from '../../../infra/manifest.ts';
import { bodyOf, strangerBody } from '../../../infra/refusals.ts';
import { resolveSettings } from '../../../infra/settings.ts';
import { proofOf } from '../clients.ts';

const { endpoints, user, password, tenant } = inject('deployment');
const settings = resolveSettings(() => undefined);

const places = [
  { name: 'baremetal', output: 'Endpoint', path: '/v1/nodes' },
  { name: 'compute', output: 'ComputeEndpoint', path: '/v2.1/flavors' },
  { name: 'image', output: 'ImageEndpoint', path: '/v2/images' },
  { name: 'network', output: 'NetworkEndpoint', path: '/v2.0/networks' },
] as const;

const ask = async (url: string, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) => {
  const answer = await fetch(url, { ...init, headers });
  return { status: answer.status, challenge: answer.headers.get('www-authenticate'), text: await answer.text() };
};

describe.each(places)('the $name API', ({ name, output, path }) => {
  const url = `${endpoints[output]}${path}`;
  const { protocol, challenge: realm } = apis[name];
  const challenge = challengeOf(settings, realm);
  const stranger = { status: 401, challenge: challenge.challenge, text: strangerBody(protocol, challenge).text };

  it('tells who proves nothing how to', async () => {
    expect(await ask(url)).toEqual(stranger);
  });

  it('tells the same to who has a wrong password, and to who is nobody', async () => {
    expect(await ask(url, proofOf(user, 'wrong'))).toEqual(stranger);
    expect(await ask(url, proofOf('nobody', password))).toEqual(stranger);
  });

  it('answers who proves that he may, again and again', async () => {
    for (let count = 0; count < 3; count += 1) {
      expect(await ask(url, proofOf(user, password))).toMatchObject({ status: 200 });
    }
  });

  it('tells everybody which versions there are', async () => {
    expect([200, 300]).toContain((await ask(`${endpoints[output]}/`)).status);
  });
});

const { protocol } = apis.baremetal;
const bare = endpoints['Endpoint']!;

it('lets a user of a project have nothing of the machines', async () => {
  const answer = await ask(`${bare}/v1/nodes`, proofOf(tenant.user, tenant.password));
  expect(answer.status).toBe(403);
  expect(JSON.parse(answer.text)).toHaveProperty('error_message');
});

it.each([7, 11])('says of a body of %i MB how much can be sent, and where the rest has to go', async (size) => {
  const refused = { status: 413, text: bodyOf(protocol, tooLarge(protocol)).text };
  const body = 'x'.repeat(size * 1024 * 1024);
  expect(await ask(`${bare}/v1/nodes`, proofOf(user, password), { method: 'POST', body })).toMatchObject(refused);
});
