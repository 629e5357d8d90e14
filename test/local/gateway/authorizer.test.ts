import type { APIGatewayAuthorizerResult, APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';

import { Fault } from '../../../layers/domain/fault.ts';
import { createAuthorizer } from '../../../local/gateway/authorizer.ts';

const policy = (effect: 'Allow' | 'Deny', resource = '*'): APIGatewayAuthorizerResult => ({
  principalId: 'ann',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  },
  context: { user: 'ann', system: true },
});

const event = (authorization?: string, path = '/v1/nodes', httpMethod = 'GET') =>
  ({
    path,
    httpMethod,
    headers: authorization ? { authorization } : {},
    requestContext: { identity: { sourceIp: '127.0.0.1' } },
  }) as unknown as APIGatewayProxyEvent;

const open = (answer: () => APIGatewayAuthorizerResult) => {
  const seen: { asked: number; now: number } = { asked: 0, now: 0 };
  const authorize = createAuthorizer({
    invoke: async () => {
      seen.asked += 1;
      return answer();
    },
    now: () => seen.now,
    ttlSeconds: 60,
  });
  return { authorize, seen };
};

it('gives the function the context as strings', async () => {
  const { authorize } = open(() => policy('Allow'));
  expect(await authorize(event())).toEqual({ principalId: 'ann', user: 'ann', system: 'true' });
});

it('asks once per identity until the answer is old', async () => {
  const { authorize, seen } = open(() => policy('Allow'));
  await Promise.all([authorize(event('Basic a')), authorize(event('Basic a', '/v1/ports'))]);
  expect(seen.asked).toBe(1);
  await authorize(event('Basic b'));
  expect(seen.asked).toBe(2);
  seen.now = 60_000;
  await authorize(event('Basic a'));
  expect(seen.asked).toBe(3);
});

it('keeps an answer no longer than the token that it is about', async () => {
  const { authorize, seen } = open(() => ({ ...policy('Allow'), context: { expires_at: '20000' } }));
  await authorize(event('Bearer a'));
  seen.now = 19_999;
  await authorize(event('Bearer a'));
  expect(seen.asked).toBe(1);
  seen.now = 20_000;
  await authorize(event('Bearer a'));
  expect(seen.asked).toBe(2);
});

it('keeps the answers about two tokens apart', async () => {
  const { authorize, seen } = open(() => policy('Allow'));
  const withToken = (token: string) => ({ ...event(), headers: { 'X-Auth-Token': token } }) as APIGatewayProxyEvent;
  await authorize(withToken('a'));
  await authorize(withToken('b'));
  await authorize(withToken('a'));
  expect(seen.asked).toBe(2);
});

it('keeps a Deny as long as an Allow and answers 403', async () => {
  const { authorize, seen } = open(() => policy('Deny'));
  await expect(authorize(event())).rejects.toMatchObject({ code: 403 });
  await expect(authorize(event())).rejects.toMatchObject({ code: 403 });
  expect(seen.asked).toBe(1);
});

it('reads the policy for each request, with its wildcards', async () => {
  const { authorize, seen } = open(() => policy('Allow', 'arn:aws:execute-api:*:*:ingot/*/GET/v1/node?'));
  expect(await authorize(event())).toHaveProperty('user');
  await expect(authorize(event(undefined, '/v1/nodes', 'POST'))).rejects.toMatchObject({ code: 403 });
  await expect(authorize(event(undefined, '/v1/ports'))).rejects.toMatchObject({ code: 403 });
  expect(seen.asked).toBe(1);
});

it('answers 401 to Unauthorized, does not keep it, and passes on any other failure', async () => {
  const failures = [new Fault('Error', 500, 'Unauthorized'), new Fault('TypeError', 500, 'broken')];
  const { authorize, seen } = open(() => {
    throw failures.shift()!;
  });
  await expect(authorize(event())).rejects.toMatchObject({ code: 401 });
  await expect(authorize(event())).rejects.toMatchObject({ name: 'TypeError' });
  expect(seen.asked).toBe(2);
});
