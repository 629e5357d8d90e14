/** What every form of the APIs does alike that functions call as clients. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Apis } from '../../layers/platform/apis.ts';
import type { Served } from '../../layers/platform/memory/apis.ts';

/** What the function behind the API is given, as far as it matters. */
type Event = {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueQueryStringParameters: Readonly<Record<string, readonly string[]>> | null;
  readonly body: string | null;
};

/** `make`: APIs of which `baremetal` is answered by `serve`, and nobody answers `image`; `end` ends what it began. */
export const describeApis = (
  name: string,
  make: (serve: Served) => Promise<{ readonly apis: Apis; end(): Promise<void> }>,
): void => {
  describe(name, () => {
    let made: Awaited<ReturnType<typeof make>>;
    let seen: Event[];
    let answer: Awaited<ReturnType<Served>>;
    beforeAll(async () => {
      made = await make(async (event: Event) => {
        seen.push(event);
        return answer;
      });
    });
    afterAll(async () => made.end());
    beforeEach(() => {
      seen = [];
      answer = { statusCode: 200, headers: {}, body: '{}' };
    });
    const headerOf = ({ headers }: Event, wanted: string) =>
      Object.entries(headers).find(([header]) => header.toLowerCase() === wanted)?.[1];

    it('sends the method, the path, what is asked and the headers', async () => {
      await made.apis.baremetal({
        method: 'GET',
        path: '/v1/nodes/a%20b?fields=uuid,name&trait=X&trait=Y',
        headers: { 'OpenStack-API-Version': 'baremetal 1.90' },
      });
      const [event] = seen as [Event];
      expect(event).toMatchObject({ httpMethod: 'GET', path: '/v1/nodes/a%20b', body: null });
      expect(event.multiValueQueryStringParameters).toEqual({ fields: ['uuid,name'], trait: ['X', 'Y'] });
      expect(headerOf(event, 'openstack-api-version')).toBe('baremetal 1.90');
    });

    it('sends a body as JSON', async () => {
      const body = [{ op: 'add', path: '/instance_uuid', value: 'ü' }];
      await made.apis.baremetal({ method: 'PATCH', path: '/v1/nodes/n', body });
      const [event] = seen as [Event];
      expect([JSON.parse(event.body!), headerOf(event, 'content-type')]).toEqual([body, 'application/json']);
    });

    it.each([200, 201, 202, 400, 404, 406, 409, 500, 503])('gives back an answer of status %i', async (statusCode) => {
      answer = { statusCode, headers: { 'Content-Type': 'application/json', 'X-Mark': 'a' }, body: '{"a":"ü"}' };
      const reply = await made.apis.baremetal({ method: 'POST', path: '/v1/nodes', body: {} });
      expect(reply).toMatchObject({ status: statusCode, headers: { 'x-mark': 'a' }, text: '{"a":"ü"}' });
    });

    it('gives back an empty answer', async () => {
      answer = { statusCode: 204, headers: {}, body: '' };
      expect(await made.apis.baremetal({ method: 'DELETE', path: '/v1/nodes/n' })).toMatchObject({
        status: 204,
        text: '',
      });
    });

    it.each([401, 403])('is not available to who is refused (%i), and tells nobody why', async (statusCode) => {
      answer = { statusCode, headers: {}, body: '{"error": "the password of ingot-service is wrong"}' };
      await expect(made.apis.baremetal({ method: 'GET', path: '/v1/nodes' })).rejects.toMatchObject({
        name: 'ServiceCredential',
        code: 503,
        message: 'The Bare Metal API could not be asked. Try again later.',
      });
    });

    it('is not available where nobody is', async () => {
      await expect(made.apis.image({ method: 'GET', path: '/v2/images' })).rejects.toMatchObject({
        name: 'Unavailable',
        code: 503,
        message: 'The Image API could not be asked. Try again later.',
      });
    });
  });
};
