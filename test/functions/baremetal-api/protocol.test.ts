/** What holds of every request, whatever it asks for (ironic-api.md 1). */
import { describe, expect, it } from 'vitest';

import { createFront } from './front.ts';

const minimum = 'X-OpenStack-Ironic-API-Minimum-Version';
const maximum = 'X-OpenStack-Ironic-API-Maximum-Version';
const effective = 'X-OpenStack-Ironic-API-Version';

const inner = (body: { error_message: string }) => JSON.parse(body.error_message) as Record<string, unknown>;

describe('version negotiation', () => {
  const { request } = createFront();

  it.each([
    [null, '1.1'],
    ['1.1', '1.1'],
    ['1.115', '1.115'],
    [' 1.10 ', '1.10'],
    ['1.010', '1.10'],
    ['latest', '1.115'],
    ['LATEST', '1.115'],
  ])('takes %s as %s', async (version, expected) => {
    const { status, headers } = await request('GET /v1/nodes', { version });
    expect([status, headers[effective]]).toEqual([200, expected]);
  });

  it.each(['1.0', '1.116', '2.1', '0.9', '1', 'abc', '', '1.1.1', '-1.5', '1.1e1'])(
    'refuses %s with 406',
    async (version) => {
      const { status, headers, body } = await request('GET /v1/nodes', { version });
      expect(status).toBe(406);
      expect([headers[minimum], headers[maximum]]).toEqual(['1.1', '1.115']);
      expect(inner(body)).toMatchObject({ code: 406, title: 'Not Acceptable' });
    },
  );

  it.each([
    ['baremetal 1.50', '1.50'],
    ['compute 2.1, baremetal 1.51', '1.51'],
    ['baremetal latest', '1.115'],
    ['compute 2.1', '1.20'],
  ])('lets the standard header "%s" win over the legacy one', async (standard, expected) => {
    const { headers } = await request('GET /v1/nodes', {
      version: '1.20',
      headers: { 'OpenStack-API-Version': standard },
    });
    expect(headers[effective]).toBe(expected);
  });

  it('puts the version headers and a request id on every answer', async () => {
    for (const line of ['GET /', 'GET /v1', 'GET /v1/nodes', 'GET /nothing', 'PUT /v1/nodes', 'GET /v1/nodes/absent']) {
      const { headers } = await request(line);
      expect(headers).toMatchObject({ [minimum]: '1.1', [maximum]: '1.115', [effective]: '1.115' });
      expect(headers['Openstack-Request-Id']).toMatch(/^req-/);
    }
  });

  it('puts X-OpenStack-Request-Id on answers from 1.107', async () => {
    expect((await request('GET /', { version: '1.106' })).headers).not.toHaveProperty('X-OpenStack-Request-Id');
    expect((await request('GET /', { version: '1.107' })).headers).toHaveProperty('X-OpenStack-Request-Id');
  });

  it('checks the version before the path', async () => {
    expect((await request('GET /nothing', { version: '9.9' })).status).toBe(406);
  });
});

describe('version documents', () => {
  const { request } = createFront();

  it('tells range and links at the root, without authentication', async () => {
    const { status, body } = await request('GET /', { subject: null, version: null });
    expect(status).toBe(200);
    expect(body.versions).toEqual([
      {
        id: 'v1',
        links: [{ href: 'http://metal.test/v1/', rel: 'self' }],
        status: 'CURRENT',
        min_version: '1.1',
        version: '1.115',
      },
    ]);
    expect(body.default_version).toEqual(body.versions[0]);
  });

  it('lists at /v1 the resources that exist at the version', async () => {
    const keys = async (version: string) => Object.keys((await request('GET /v1', { version, subject: null })).body);
    expect(await keys('1.1')).toEqual([
      'id',
      'links',
      'media_types',
      'version',
      'chassis',
      'nodes',
      'ports',
      'drivers',
    ]);
    expect(await keys('1.22')).toEqual(expect.arrayContaining(['lookup', 'heartbeat']));
    expect(await keys('1.48')).not.toContain('conductors');
    expect(await keys('1.49')).toContain('conductors');
  });

  it('answers HEAD at the roots without a body, and nowhere else', async () => {
    expect(await request('HEAD /v1')).toMatchObject({ status: 200, body: undefined });
    expect((await request('HEAD /v1/nodes')).status).toBe(405);
  });

  it('answers OPTIONS with the methods of the path', async () => {
    const { status, headers } = await request('OPTIONS /v1/nodes');
    expect([status, headers['Allow']]).toEqual([200, 'GET, POST']);
  });

  it('starts links with the public endpoint when one is set, else with what the client called', async () => {
    const fixed = createFront({ INGOT_PUBLIC_ENDPOINT: 'https://metal.example/api/' });
    expect((await fixed.request('GET /')).body.versions[0].links[0].href).toBe('https://metal.example/api/v1/');
    const { body } = await request('GET /', { headers: { 'X-Forwarded-Proto': 'https', Host: 'other:1' } });
    expect(body.versions[0].links[0].href).toBe('https://other:1/v1/');
  });
});

describe('routing', () => {
  const { request, enrol } = createFront();

  it.each([
    'GET /v1/nothing',
    'GET /v1/nodes/a/b/c',
    'GET /v2/nodes',
    'GET /v1//nodes',
    'GET /v1/nodes//states',
    'GET /v1/drivers/a/b/c/d',
  ])('answers 404 to %s in the form of the router', async (line) => {
    const { status, body } = await request(line);
    expect(status).toBe(404);
    expect(inner(body)).toMatchObject({ code: 404, title: 'Not Found', description: expect.any(String) });
  });

  it.each(['PUT /v1/nodes', 'DELETE /v1/nodes', 'POST /v1', 'POST /v1/nodes/a', 'DELETE /'])(
    'answers 405 to %s',
    async (line) => {
      const { status, body } = await request(line);
      expect(status).toBe(405);
      expect(inner(body)).toMatchObject({ code: 405, title: 'Method Not Allowed' });
    },
  );

  it('says in Allow what a path takes in this version', async () => {
    const { uuid } = await enrol();
    const allow = async (line: string, version: string) => (await request(line, { version })).headers['Allow'];
    expect(await allow('PUT /v1/nodes', 'latest')).toBe('GET, POST');
    expect(await allow(`POST /v1/nodes/${uuid}/vmedia`, '1.1')).toBeUndefined();
    expect(await allow(`PATCH /v1/nodes/${uuid}/vmedia`, '1.89')).toBe('POST, DELETE');
    expect(await allow(`PATCH /v1/nodes/${uuid}/vmedia`, '1.93')).toBe('GET, POST, DELETE');
    expect((await request('GET /v1/nodes')).headers).not.toHaveProperty('Allow');
  });

  it('serves paths without /v1 and with a trailing slash', async () => {
    const { uuid } = await enrol({ name: 'plain' });
    for (const path of [`/nodes/${uuid}`, `/v1/nodes/${uuid}/`, '/nodes/plain/']) {
      expect((await request(`GET ${path}`)).body.uuid).toBe(uuid);
    }
    expect((await request('GET /v1/')).status).toBe(200);
  });

  it('drops a .json suffix below 1.91, unless only a name with it is found', async () => {
    const plain = await enrol({ name: 'cut' });
    const named = await enrol({ name: 'kept.json' });
    expect((await request('GET /v1/nodes/cut.json', { version: '1.90' })).body.uuid).toBe(plain.uuid);
    expect((await request('GET /v1/nodes/kept.json', { version: '1.90' })).body.uuid).toBe(named.uuid);
    expect((await request('GET /v1/nodes.json', { version: '1.90' })).status).toBe(200);
    expect((await request('GET /v1/nodes/cut.json', { version: '1.91' })).status).toBe(404);
    const standard = { version: null, headers: { 'OpenStack-API-Version': 'baremetal 1.90' } };
    expect((await request('GET /v1/nodes/cut.json', standard)).status).toBe(404);
  });

  it('answers 400 to a broken percent-encoding', async () => {
    expect((await request('GET /v1/nodes/%E0%A4%A')).status).toBe(400);
  });

  it('answers 400 to an ident that can be none', async () => {
    expect((await request('GET /v1/nodes/a%20b')).status).toBe(400);
    expect((await request('GET /v1/nodes/a%2Fb')).status).toBe(400);
  });
});

describe('error bodies', () => {
  const { request } = createFront();

  it('are JSON in JSON, with the fault of the controller', async () => {
    const { status, body, headers } = await request('GET /v1/nodes/absent');
    expect(status).toBe(404);
    expect(headers['Content-Type']).toBe('application/json');
    expect(inner(body)).toEqual({
      faultcode: 'Client',
      faultstring: 'Node absent could not be found.',
      debuginfo: null,
    });
  });

  it('tell nothing of what went wrong inside, which goes to the log', async () => {
    const front = createFront();
    const broken = createFront(
      {},
      {
        ...front.platform,
        table: { ...front.platform.table, query: async () => Promise.reject(new Error('password=hunter2')) },
      },
    );
    const { status, body } = await broken.request('GET /v1/nodes');
    expect(status).toBe(500);
    expect(inner(body)).toMatchObject({ faultcode: 'Server' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(front.platform.log.lines).toMatchObject([
      { level: 'error', fields: { error: { message: 'password=hunter2' } } },
    ]);
  });
});

describe('bodies', () => {
  const { request, enrol } = createFront();
  const post = async (body: unknown, headers = {}) => request('POST /v1/nodes', { body, headers });

  it.each([
    ['malformed JSON', '{"driver": '],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1'],
    ['text', '"driver"'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['nothing', undefined],
  ])('answers 400 to %s', async (_name, body) => {
    expect((await post(body)).status).toBe(400);
  });

  it('does not quote a malformed body, which may hold a password', async () => {
    const { body } = await post('{"driver_info": {"redfish_password": "hunter2"');
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('answers 413 to more than 1 MiB, with a flat body', async () => {
    const { status, body } = await post({ driver: 'fake-hardware', description: 'x'.repeat(1024 * 1024) });
    expect(status).toBe(413);
    expect(body).toEqual({ faultcode: 'Client', faultstring: expect.any(String) });
  });

  it('answers 400 to JSON nested deeper than 25, with a flat body', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { x: nested(levels - 1) });
    const deep = await post({ driver: 'fake-hardware', extra: nested(25) });
    expect(deep.status).toBe(400);
    expect(deep.body).toEqual({ faultcode: 'Client', faultstring: expect.any(String) });
    expect((await post({ driver: 'fake-hardware', extra: nested(24) })).status).toBe(201);
    expect((await post(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).status).toBe(400);
  });

  it('takes JSON under any content type, but wants one', async () => {
    expect((await post('{"driver": "fake-hardware"}', { 'Content-Type': 'text/plain' })).status).toBe(201);
    expect((await post('{"driver": "fake-hardware"}', { 'Content-Type': '' })).status).toBe(400);
  });

  it('answers JSON only', async () => {
    await enrol();
    for (const accept of ['application/json', '*/*', 'text/html, */*;q=0.1', 'application/*']) {
      expect((await request('GET /v1/nodes', { headers: { Accept: accept } })).status).toBe(200);
    }
    for (const accept of ['text/html', 'application/xml']) {
      expect((await request('GET /v1/nodes', { headers: { Accept: accept } })).status).toBe(406);
    }
  });
});

describe('callers', () => {
  const { request, enrol } = createFront();
  const project = { user: 'u', project: 'p1', roles: 'admin', scope: 'project' };

  it('has to be authenticated for everything but the version documents', async () => {
    expect((await request('GET /v1/nodes', { subject: null })).status).toBe(401);
    expect((await request('GET /v1', { subject: null })).status).toBe(200);
  });

  it('is told 404 of what it may not see and 403 of what it may not do', async () => {
    const foreign = await enrol();
    const own = await enrol({ owner: 'p1' });
    const hidden = await request(`GET /v1/nodes/${foreign.uuid}`, { subject: project });
    expect([hidden.status, hidden.error]).toEqual([404, `Node ${foreign.uuid} could not be found.`]);
    expect((await request(`GET /v1/nodes/${own.uuid}`, { subject: project })).status).toBe(200);
    const manager = { ...project, roles: 'manager' };
    expect((await request(`DELETE /v1/nodes/${own.uuid}`, { subject: manager })).status).toBe(403);
    const shard = [{ op: 'add', path: '/shard', value: 's' }];
    expect((await request(`PATCH /v1/nodes/${own.uuid}`, { subject: project, body: shard })).status).toBe(403);
    const extra = [{ op: 'add', path: '/extra/a', value: 1 }];
    expect((await request(`PATCH /v1/nodes/${own.uuid}`, { subject: project, body: extra })).status).toBe(200);
  });
});

describe('a token that has ended', () => {
  it('is of no use, also while API Gateway still keeps the answer about it', async () => {
    const { request, platform } = createFront();
    const subject = { user: 'u', project: '', roles: 'admin', scope: 'system' };
    const at = (expires: number) => ({ subject: { ...subject, expires_at: String(expires) } });
    const now = platform.clock.now();
    expect((await request('GET /v1/nodes', at(now + 60_000))).status).toBe(200);
    expect((await request('GET /v1/nodes', at(now - 1))).status).toBe(401);
    expect((await request('GET /v1', at(now - 1))).status).toBe(200);
  });
});

describe('query parameters', () => {
  const { request } = createFront();

  it('are refused with 400 when unknown and with 406 when too new', async () => {
    expect(await request('GET /v1/nodes?bogus=1')).toMatchObject({
      status: 400,
      error: 'Unexpected arguments: bogus.',
    });
    expect((await request('GET /v1/nodes?owner=x', { version: '1.49' })).status).toBe(406);
    expect((await request('GET /v1/nodes?owner=x', { version: '1.50' })).status).toBe(200);
    expect((await request('GET /v1/nodes?__proto__=x')).status).toBe(400);
    expect((await request('GET /v1/nodes?constructor=x')).status).toBe(400);
  });

  it('refuses detail= below 1.43 with 400', async () => {
    expect((await request('GET /v1/nodes?detail=true', { version: '1.42' })).status).toBe(400);
    expect((await request('GET /v1/nodes?detail=true', { version: '1.43' })).status).toBe(200);
  });
});
