/** Calls of an API of ours by its function. */
import { inspect } from 'node:util';

import { describe, expect, it } from 'vitest';

import { Fault } from '../../../layers/domain/fault.ts';
import { createInvokedApi } from '../../../layers/platform/invoked-api.ts';
import { createMemoryFunctions } from '../../../layers/platform/memory/functions.ts';
import { createCountedIds } from '../../../layers/platform/memory/ids.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';

const calling = (answer: (event: Record<string, unknown>) => unknown) => {
  const functions = createMemoryFunctions({ 'image-api': answer });
  const log = createLogRecorder();
  return { functions, log, call: createInvokedApi({ functions, log, ids: createCountedIds() }, 'image') };
};
const reply = (statusCode: number) => () => ({ statusCode, headers: { 'X-A': 'b' }, body: '{"a": 1}' });

describe('an API that is called by its function', () => {
  it('is given what API Gateway would give it, from a service of the whole system', async () => {
    const { call, functions } = calling(reply(200));
    expect(await call({ method: 'POST', path: '/v2/images/a%20b?x=1&x=2', body: { n: 'ü' } })).toEqual({
      status: 200,
      headers: { 'x-a': 'b' },
      text: '{"a": 1}',
    });
    expect(functions.calls).toMatchObject([
      {
        name: 'image-api',
        payload: {
          httpMethod: 'POST',
          path: '/v2/images/a%20b',
          multiValueQueryStringParameters: { x: ['1', '2'] },
          headers: { 'Content-Type': 'application/json' },
          body: '{"n":"ü"}',
          requestContext: { authorizer: { roles: 'service', scope: 'system', project: '' } },
        },
      },
    ]);
  });

  it.each([404, 409, 500])('answers with its status %i', async (status) => {
    expect(await calling(reply(status)).call({ method: 'GET', path: '/v2/images' })).toMatchObject({ status });
  });

  it('says who may not ask only to whom it may be said', async () => {
    const { call, log } = calling(reply(403));
    expect(await call({ method: 'GET', path: '/v2/images', refusable: true })).toMatchObject({ status: 403 });
    await expect(call({ method: 'GET', path: '/v2/images' })).rejects.toMatchObject({
      name: 'ServiceCredential',
      code: 503,
    });
    expect(log.lines).toHaveLength(1);
  });

  it('is not available when its function fails, and the log alone says why', async () => {
    const { call, log } = calling(() => {
      throw new Fault('AccessDenied', 500, 'not granted');
    });
    await expect(call({ method: 'GET', path: '/v2/images' })).rejects.toMatchObject({
      name: 'Unavailable',
      code: 503,
      message: 'The Image API could not be asked. Try again later.',
    });
    expect(inspect(log.lines, { depth: 5 })).toContain('not granted');
  });
});
