/** What clients can put on a wire, byte by byte, from the socket to the API and back: refused, in Ironic's form. */
import { once } from 'node:events';
import { connect } from 'node:net';

import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { create } from '../../../functions/baremetal-api/app.ts';
import { Config } from '../../../functions/baremetal-api/config.ts';
import { noNetworks } from '../../../layers/bmc/networks.ts';
import { ironic } from '../../../layers/http/protocols/ironic.ts';
import { type Gateway, openGateway } from '../../../local/gateway/server.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { environmentWith } from '../../fakes/settings.ts';

const MiB = 1024 * 1024;

const platform = createMemoryPlatform();
let writes = 0;
const table = {
  ...platform.table,
  write: async (...args: Parameters<typeof platform.table.write>) => {
    await platform.table.write(...args);
    writes += 1;
  },
};
const app = create({ ...platform, table }, Config.parse(environmentWith()));

let gateway: Gateway;
beforeAll(async () => {
  gateway = await openGateway({
    apis: {
      baremetal: { protocol: ironic, routes: [{ at: 'ANY /{proxy+}', function: 'baremetal-api', authorize: true }] },
    },
    invoke: async (_name, event) => {
      const parsed = JSON.parse(event) as APIGatewayProxyEvent;
      return app(parsed, { request_id: parsed.requestContext.requestId, remaining_ms: () => 29_000 });
    },
    authorize: async () => ({ user: 'admin', roles: 'admin', scope: 'system' }),
    trusted: noNetworks,
    port: 0,
    ids: platform.ids,
    log: platform.log,
    now: () => platform.clock.now(),
  });
});
afterAll(async () => gateway.close(0));
beforeEach(() => {
  writes = 0;
});

type Answer = { readonly status: number; readonly body: string };

/** Sends bytes as they are, and reads the answer to the end. */
const send = async (...parts: (string | Buffer)[]): Promise<Answer> => {
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body };
};

const head = (line: string, headers: readonly string[] = []) =>
  `${[`${line} HTTP/1.1`, 'Host: metal.test', 'X-OpenStack-Ironic-API-Version: 1.115', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

const get = async (target: string | Buffer, headers: readonly string[] = []): Promise<Answer> => {
  const [before = '', after = ''] = head('GET |', headers).split('|');
  return send(Buffer.concat([Buffer.from(before), Buffer.from(target as string), Buffer.from(after)]));
};

const put = async (body: string | Buffer, headers: readonly string[] = ['Content-Type: application/json']) => {
  const bytes = Buffer.from(body as string);
  return send(head('POST /v1/nodes', [...headers, `Content-Length: ${bytes.length}`]), bytes);
};

/** The sentence of an error in one of Ironic's three forms. */
const sentence = ({ body }: Answer): unknown => {
  const parsed = JSON.parse(body) as { error_message?: string; faultstring?: string };
  const inner = (parsed.error_message === undefined ? parsed : JSON.parse(parsed.error_message)) as {
    faultstring?: string;
    description?: string;
  };
  return inner.faultstring ?? inner.description;
};

const expectRefusal = (answer: Answer, ...statuses: readonly number[]) => {
  expect(statuses).toContain(answer.status);
  expect(sentence(answer)).toEqual(expect.stringMatching(/\w+ \w+/));
  expect(writes).toBe(0);
};

const node = (extra: string) => `{"driver": "fake-hardware", ${extra}}`;

describe('a body', () => {
  it.each([
    ['of 11 MB', Buffer.alloc(11 * MiB, 'x'), 413],
    ['of 7 MB', Buffer.alloc(7 * MiB, 'x'), 413],
    ['of 2 MB, where only configdrives are larger', node(`"extra": {"a": "${'x'.repeat(2 * MiB)}"}`), 413],
    ['nested 30 deep', node(`"extra": ${'{"a":'.repeat(30)}1${'}'.repeat(30)}`), 400],
    ['nested 100,000 deep', node(`"extra": ${'['.repeat(100_000)}${']'.repeat(100_000)}`), 400],
    [
      'that is not UTF-8',
      Buffer.from([...Buffer.from('{"driver": "fake-hardware", "name": "'), 0xc3, 0x28, 0x22, 0x7d]),
      400,
    ],
    ['with a NUL between the tokens', node('\u0000"name": "a"'), 400],
    ['with a raw NUL in a string', node('"name": "a\u0000"'), 400],
    ['with an escaped NUL in a name', node('"name": "a\\u0000b"'), 400],
    ['with half a surrogate pair in a name', node('"name": "\\ud800"'), 400],
    ['with a number past every float', node('"name": 1e999'), 400],
    ['with __proto__ as a field', node('"__proto__": {"name": "x"}'), 400],
    ['with __proto__ further down', node('"extra": {"a": [{"__proto__": null}]}'), 400],
    ['with constructor as a field', node('"constructor": {"prototype": {"x": 1}}'), 400],
    ['with a word that every object of JavaScript has, for a boolean', node('"automated_clean": "constructor"'), 400],
    ['that is cut off', '{"driver": "fake-', 400],
    ['that is a list', '[]', 400],
    ['that is text', '"fake-hardware"', 400],
    ['that is null', 'null', 400],
    ['with a byte order mark of another encoding', Buffer.from('\ufeff{}', 'utf16le'), 400],
  ])('%s is refused, and nothing is stored', async (_what, body, status) => {
    expectRefusal(await put(body), status);
  });

  it('of a form or a file is not JSON', async () => {
    expectRefusal(await put('driver=fake-hardware', ['Content-Type: application/x-www-form-urlencoded']), 400, 415);
    const file = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';
    expectRefusal(await put(file, ['Content-Type: multipart/form-data; boundary=x']), 400, 415);
  });

  it('without a type is refused', async () => {
    expectRefusal(await put(node('"name": "a"'), []), 400);
  });

  it('whose chunks never make 11 MB known in advance is refused all the same', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MiB, 'x'), Buffer.from('\r\n')]);
    const start = head('POST /v1/nodes', ['Content-Type: application/json', 'Transfer-Encoding: chunked']);
    expectRefusal(await send(start, ...Array.from({ length: 11 }, () => chunk), '0\r\n\r\n'), 413);
  });

  it('that names a key twice counts by the last, as for Ironic', async () => {
    const { status, body } = await put(node('"name": "first", "name": "second"'));
    expect([status, JSON.parse(body)]).toEqual([201, expect.objectContaining({ name: 'second' })]);
  });
});

describe('a patch', () => {
  it('of __proto__ is refused', async () => {
    expect((await put(node('"name": "patched", "extra": {}'))).status).toBe(201);
    writes = 0;
    const patch = Buffer.from('[{"op": "add", "path": "/extra/__proto__", "value": {"a": 1}}]');
    const headers = ['Content-Type: application/json', `Content-Length: ${patch.length}`];
    expectRefusal(await send(head('PATCH /v1/nodes/patched', headers), patch), 400);
  });
});

describe('a path', () => {
  it.each<[string, string | Buffer, ...number[]]>([
    ['with a NUL', '/v1/nodes/a%00b', 400, 404],
    ['with bytes that are not UTF-8', '/v1/nodes/%ff%fe', 400],
    ['with half an escape', '/v1/nodes/%2', 400],
    ['with raw bytes past ASCII', Buffer.from('/v1/nodes/\xff', 'latin1'), 400, 404],
    ['with __proto__', '/v1/nodes/__proto__', 404],
    ['with constructor', '/v1/constructor', 404],
    ['with dots that lead out', '/v1/nodes/../../etc/passwd', 404],
    ['with escaped dots and slashes', '/v1/nodes/..%2f..%2fetc', 400, 404],
    ['of 8,000 bytes', `/v1/nodes/${'x'.repeat(8000)}`, 400, 404],
    ['of 40,000 bytes', `/v1/nodes/${'x'.repeat(40_000)}`, 431],
    ['of 4,000 segments', `/v1${'/a'.repeat(4000)}`, 404],
  ])('%s is refused', async (_what, target, ...statuses) => {
    expectRefusal(await get(target), ...statuses);
  });

  it('with a raw NUL or a control byte is no HTTP', async () => {
    expectRefusal(await get('/v1/nodes/\u0000'), 400);
    expectRefusal(await get('/v1/nodes/\u0001'), 400);
  });
});

describe('a query', () => {
  it.each([
    ['with a NUL', 'marker=%00', 404],
    ['with bytes that are not UTF-8', 'marker=%ff', 404],
    ['with __proto__', '__proto__=1', 400],
    ['with a limit that is no whole number', 'limit=1e3', 400],
    ['with a limit of NaN', 'limit=NaN', 400],
    ['of 10,000 fields', `fields=${'uuid,'.repeat(2000)}x`, 400],
    ['of 1,000 parameters', Array.from({ length: 1000 }, (_, at) => `a${at}=1`).join('&'), 400],
    ['of 40,000 bytes', `marker=${'x'.repeat(40_000)}`, 431],
  ])('%s is refused', async (_what, query, status) => {
    expectRefusal(await get(`/v1/nodes?${query}`), status);
  });
});

describe('a header', () => {
  it.each<[string, string, number]>([
    ['with a NUL', 'X-OpenStack-Ironic-API-Version: 1.80\u0000', 400],
    ['with a version past every number', `OpenStack-API-Version: baremetal 1.${'9'.repeat(400)}`, 406],
    ['with another service and no number', 'OpenStack-API-Version: baremetal latest1', 406],
    ['that accepts no JSON', 'Accept: text/html', 406],
    ['named with a space', 'X Y: 1', 400],
    ['that would split the answer', 'OpenStack-API-Version: baremetal 1.1\rSet-Cookie: a=b', 400],
  ])('%s is refused', async (_what, header, status) => {
    expectRefusal(await get('/v1/nodes', [header]), status);
  });

  it('named __proto__ is no other than any', async () => {
    expect((await get('/v1/nodes', ['__proto__: 1'])).status).toBe(200);
  });
});
