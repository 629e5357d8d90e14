/** The engine on APIs that it has never heard of (`lamps.ts`). What it does for Ironic: test/functions/baremetal-api. */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';

import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { createLamps } from './lamps.ts';

type Options = {
  readonly version?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  readonly subject?: Record<string, string> | null;
  readonly stage?: string;
};

const admin = { user: 'ann', project: 'p0', roles: 'admin,member,reader', scope: 'project' };
const member = (project: string, roles = 'member,reader') => ({ user: 'bob', project, roles, scope: 'project' });

const toEvent = (line: string, { version, body, headers = {}, subject = admin, stage = '' }: Options) => {
  const [httpMethod, target] = line.split(' ') as [string, string];
  const { pathname: path, searchParams } = new URL(target, 'http://lamps.test');
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const isText = typeof body === 'string';
  return {
    httpMethod,
    path,
    headers: {
      Host: 'lamps.test',
      ...(version && { 'Lamp-Version': version }),
      ...(isText && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    multiValueQueryStringParameters: query,
    requestContext: { path: stage + path, authorizer: subject, identity: { sourceIp: '192.0.2.7' } },
    body: isText || body === undefined ? (body ?? null) : Buffer.from(body).toString('base64'),
    isBase64Encoded: !isText,
  } as unknown as APIGatewayProxyEvent;
};

const createFront = () => {
  const log = createLogRecorder();
  const lamps = new Map([
    ['a', { id: 'a', owner: 'p1', on: false }],
    ['b', { id: 'b', owner: 'p2', on: true }],
  ]);
  const served = createLamps({ log, lamps, clock: { now: () => 0, sleep: async () => undefined } });
  const ask =
    (serve: typeof served.lamps) =>
    async (line: string, options: Options = {}) => {
      const answer = await serve(toEvent(line, options), { request_id: '1', remaining_ms: () => 1000 });
      return { status: answer.statusCode, headers: answer.headers ?? {}, body: answer.body };
    };
  return { lamps, log, request: ask(served.lamps), text: ask(served.text) };
};

const put = (on: unknown, more: object = {}) => JSON.stringify({ on, ...more });
const inner = ({ body }: { body: string }) =>
  Object.entries(JSON.parse(body) as Record<string, { by: string; message: string }>)[0]!;

describe('an API with versions and errors of its own', () => {
  it('tells callers whom it is not for nothing of what there is', async () => {
    const { request } = createFront();
    const moth = { ...admin, user: 'moth' };
    for (const lamp of ['a', 'none']) {
      const answer = await request(`POST /v2/lamps/${lamp}/switch`, { version: '2.5', subject: moth, body: '{' });
      expect([answer.status, inner(answer)[1].message]).toEqual([403, 'Not for moths.']);
    }
    expect((await request('GET /v2/none', { subject: moth })).status).toBe(404);
    expect((await request('GET /v2', { subject: null })).status).toBe(200);
  });

  const { request, lamps } = createFront();

  it('is asked for its version, and says so on every answer', async () => {
    expect((await request('GET /v2/lamps')).headers).toMatchObject({ 'Lamp-Version': '2.1', Vary: 'Lamp-Version' });
    const refused = await request('GET /v2/nothing', { version: '2.7' });
    expect([refused.status, refused.headers['Lamp-Version']]).toEqual([404, '2.7']);
    const strange = await request('GET /v2/lamps', { version: '3.0' });
    expect([strange.status, strange.headers['Lamp-Version']]).toEqual([406, '2.1']);
  });

  it.each([
    ['no version of it', 'POST /v9/lamps', { version: '0', subject: null, body: '{' }, 406, 'router'],
    ['no path of it', 'POST /v9/lamps', { subject: null, body: '{' }, 404, 'router'],
    ['a method that a path has not', 'PUT /v2/lamps', { subject: null, body: '{' }, 405, 'router'],
    ['a row that is too new', 'POST /v2/lamps/x/switch', { subject: null, body: '{' }, 404, 'router'],
    ['a record that is not there', 'POST /v2/lamps/x/switch', { version: '2.3', subject: null }, 404, 'resource'],
    ['nobody', 'POST /v2/lamps/a/switch?x=1', { version: '2.3', subject: null, body: '{' }, 401, 'resource'],
    ['somebody whose it is not', 'POST /v2/lamps/a/switch?x=1', { version: '2.3', body: '{' }, 404, 'resource'],
    [
      'somebody who may not',
      'POST /v2/lamps/a/switch?x=1',
      { version: '2.3', subject: member('p1', 'reader'), body: '{' },
      403,
      'resource',
    ],
  ])(
    'refuses %s, in the order of the pipeline and the words of the protocol',
    async (_what, line, options, status, by) => {
      const answer = await request(line, options);
      expect([answer.status, inner(answer)[1].by]).toEqual([status, by]);
      expect(inner(answer)[0]).toBe(status === 404 ? 'lampNotFound' : 'lampFault');
    },
  );

  it('looks at the query before the body', async () => {
    const options = { version: '2.3', subject: member('p1'), body: '{' };
    const both = await request('POST /v2/lamps/a/switch?x=1', options);
    expect([both.status, inner(both)[1].message]).toEqual([400, 'Unexpected arguments: x.']);
    const alone = await request('POST /v2/lamps/a/switch', options);
    expect([alone.status, inner(alone)[1].message]).toEqual([400, expect.stringContaining('not valid JSON')]);
  });

  it('checks bodies, and refuses names that are too new as the protocol does', async () => {
    const asked = async (version: string, body: string) =>
      inner(await request('POST /v2/lamps/a/switch', { version, subject: member('p1'), body }))[1].message;
    expect(await asked('2.3', put('yes'))).toBe('Invalid value for on: must be true or false.');
    expect(await asked('2.3', put(true, { colour: 'red' }))).toBe('colour is too new.');
    expect(inner(await request('GET /v2/lamps?colour=red', { version: '2.4' }))[1].message).toBe('colour is too new.');
    expect((await request('GET /v2/lamps?colour=red', { version: '2.5' })).status).toBe(200);
    expect(lamps.get('a')!.on).toBe(false);
  });

  it('has a row from the version that introduced it to the last one that has it', async () => {
    const versions = ['2.1', '2.2', '2.4', '2.5'];
    const answers = versions.map(async (version) => (await request('GET /v2/bulbs', { version })).status);
    expect(await Promise.all(answers)).toEqual([404, 200, 200, 404]);
    expect(inner(await request('GET /v2/bulbs', { version: '2.5' }))[1].message).toBe('There is nothing at this path.');
  });

  it('handles, with status, headers and the place of what was made; links start with what the client called', async () => {
    const options = { version: '2.3', subject: member('p1'), body: put(true), stage: '/lamps-api' };
    const answer = await request('POST /v2/p1/lamps/a/switch', options);
    expect(answer).toMatchObject({
      status: 202,
      body: '',
      headers: { Location: 'http://lamps.test/lamps-api/v2/lamps/a', 'Retry-After': '1' },
    });
    expect(lamps.get('a')!.on).toBe(true);
  });

  it('shows a project what is its own', async () => {
    const ids = async (subject: Record<string, string>) =>
      (JSON.parse((await request('GET /v2/lamps', { subject })).body) as { id: string }[]).map(({ id }) => id);
    expect(await ids(admin)).toEqual(['a', 'b']);
    expect(await ids(member('p2'))).toEqual(['b']);
  });

  it('tells OPTIONS the methods of a path', async () => {
    expect((await request('OPTIONS /v2/lamps')).headers['Allow']).toBe('GET');
  });
});

describe('an API without versions and callers, that speaks text', () => {
  const { text, log } = createFront();

  it('answers in text, and knows where a caller is', async () => {
    const answer = await text('GET /latest/hostname', { subject: null });
    expect(answer).toEqual({ status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'hostname of 192.0.2.7' });
  });

  it('refuses in text too, and what leaves no room for it', async () => {
    expect(await text('GET /latest', { subject: null })).toMatchObject({
      status: 404,
      headers: { 'Content-Type': 'text/plain' },
      body: '404 There is nothing at this path.\n',
    });
    expect((await text('GET /latest/x', { headers: { Accept: 'application/json' } })).status).toBe(406);
    expect((await text('GET /latest/x', { headers: { Accept: 'text/*' } })).status).toBe(200);
  });

  it('takes bytes as they are, up to what the handler wants', async () => {
    expect(await text('PUT /latest/file', { body: Uint8Array.of(0, 255) })).toMatchObject({ status: 204, body: '' });
    expect(log.lines.at(-1)).toMatchObject({ fields: { bytes: [0, 255] } });
    expect((await text('PUT /latest/file', { body: new Uint8Array(5) })).status).toBe(413);
  });
});
