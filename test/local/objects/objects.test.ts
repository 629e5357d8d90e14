import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createObjects } from '../../../local/objects/objects.ts';
import { createObjectsMount, serveObject } from '../../../local/objects/serve.ts';
import { readKey } from '../../../local/secrets/key.ts';
import { describeObjects } from '../../conformance/objects.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';

const root = mkdtempSync(join(tmpdir(), 'ingot-objects-'));
afterAll(() => rmSync(root, { recursive: true }));

const noBody = async function* (): AsyncGenerator<Uint8Array> {};
const parts = async function* (...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
};

const open = (name: string, maxBytes = 100_000) => {
  const [folder, key] = [join(root, name), join(root, `${name}.key`)];
  const clock = createVirtualClock();
  const objects = createObjects({ folder, key, base: 'http://127.0.0.1:6385', clock });
  const options = { folder, secret: readKey(key), clock, maxBytes };
  const request = async (
    method: string,
    link: string,
    {
      headers = {},
      body = noBody(),
    }: { headers?: Readonly<Record<string, string>>; body?: AsyncIterable<Uint8Array> } = {},
  ) => {
    const url = link.replace('http://127.0.0.1:6385', '');
    const answer = await serveObject(options, { method, url, headers, body });
    return { ...answer, body: answer.body && new Uint8Array(await buffer(answer.body)) };
  };
  return { folder, clock, objects, request };
};

describeObjects('objects as files', async () => {
  const { clock, objects, request } = open('conformance');
  return {
    objects,
    request: async (method, url, body, headers = {}) =>
      request(method, url, {
        ...(body && { body: parts(body) }),
        headers: { ...(body && { 'content-length': String(body.byteLength) }), ...headers },
      }),
    wait: async (seconds) => clock.advance(seconds * 1000),
  };
});

describe('reading a part', () => {
  const { objects, request } = open('ranges');
  beforeAll(async () => {
    await objects.put('digits', Buffer.from('0123456789'));
    await objects.put('empty', new Uint8Array());
  });
  const ask = async (range: string, key = 'digits') => {
    const { status, headers, body } = await request('GET', await objects.link(key, 60), { headers: { range } });
    return [status, headers['Content-Range'], Buffer.from(body ?? []).toString()];
  };

  it.each([
    ['bytes=0-3', 206, 'bytes 0-3/10', '0123'],
    ['bytes=7-', 206, 'bytes 7-9/10', '789'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=-30', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=8-100', 206, 'bytes 8-9/10', '89'],
    ['bytes=9-9', 206, 'bytes 9-9/10', '9'],
    ['bytes=10-', 416, 'bytes */10', 'The range lies outside of the object.\n'],
    ['bytes=-0', 416, 'bytes */10', 'The range lies outside of the object.\n'],
    ['bytes=3-1', 200, undefined, '0123456789'],
    ['bytes=0-1,3-4', 200, undefined, '0123456789'],
    ['bytes=-', 200, undefined, '0123456789'],
    ['lines=1-2', 200, undefined, '0123456789'],
  ])('%s is answered with %i', async (range, ...expected) => {
    expect(await ask(range)).toEqual(expected);
  });

  it('of an empty object is refused, the whole of it is not', async () => {
    expect((await ask('bytes=0-', 'empty'))[0]).toBe(416);
    expect((await ask('bytes=-1', 'empty'))[0]).toBe(416);
    expect(await ask('', 'empty')).toEqual([200, undefined, '']);
  });

  it('says its length and type', async () => {
    const { headers } = await request('GET', await objects.link('digits', 60));
    expect(headers).toMatchObject({ 'Content-Length': 10, 'Content-Type': 'application/octet-stream' });
  });
});

describe('uploads', () => {
  it('past the limit are refused and leave nothing, whatever they said before', async () => {
    const { folder, objects, request } = open('uploads', 1000);
    const bytes = Buffer.alloc(1200);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { url: link, headers } = await objects.uploadLink('big', { sha256 }, 60);
    await objects.put('big', Buffer.from('before'));
    const chunks = parts(Buffer.alloc(600), Buffer.alloc(600));
    expect((await request('PUT', link, { headers, body: chunks })).status).toBe(413);
    expect((await request('PUT', link, { headers: { ...headers, 'content-length': '1001' } })).status).toBe(413);
    expect(Buffer.from((await objects.get('big'))!).toString()).toBe('before');
    expect(readdirSync(folder)).toEqual(['big']);
  });

  it('that a killed process left half written are removed at the next start', async () => {
    const { folder } = open('killed');
    mkdirSync(folder);
    writeFileSync(join(folder, '.partial-1'), 'half');
    writeFileSync(join(folder, 'whole'), 'whole');
    await createObjectsMount({ folder, key: join(root, 'killed.key') });
    expect(readdirSync(folder)).toEqual(['whole']);
  });
});

describe('keys', () => {
  const { folder, objects, request } = open('keys');

  it.each(['../outside', 'a/../../b', '/etc/passwd', '.hidden', 'a/.b', 'a//b', 'a\\b', 'a%2fb', '', 'x'.repeat(201)])(
    'that could lead anywhere else are refused: %s',
    async (key) => {
      for (const refused of [objects.put(key, Buffer.from('x')), objects.get(key), objects.link(key, 60)]) {
        await expect(refused).rejects.toMatchObject({ name: 'Invalid', code: 400 });
      }
    },
  );

  it('in a link cannot be turned into another path', async () => {
    await objects.put('a', Buffer.from('x'));
    writeFileSync(join(folder, '..', 'outside'), 'secret');
    const link = await objects.link('a', 60);
    for (const path of ['../outside', '%2e%2e/outside', '..%2foutside', 'a/../../outside', '%2e%2e%2foutside']) {
      expect((await request('GET', link.replace('/a?', `/${path}?`))).status).toBe(403);
    }
  });
});

describe('the mount of the gateway', () => {
  it('serves the links over HTTP', async () => {
    const paths = { folder: join(root, 'mount'), key: join(root, 'mount.key') };
    const { prefix, serve } = await createObjectsMount(paths);
    const server = createServer((request, response) => void serve(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const objects = createObjects({ ...paths, base });
    try {
      expect(prefix).toBe('/objects/');
      const body = Buffer.alloc(3_000_000, 'ingot');
      const { url } = await objects.uploadLink('drive', { size: body.byteLength }, 60);
      expect((await fetch(url, { method: 'PUT', body: body.subarray(1) })).status).toBe(403);
      const put = await fetch(url, { method: 'PUT', body });
      expect(put.status).toBe(200);
      const link = await objects.link('drive', 60);
      const got = await fetch(link);
      expect(Buffer.from(await got.arrayBuffer()).equals(body)).toBe(true);
      const part = await fetch(link, { headers: { Range: 'bytes=5-9' } });
      expect([part.status, await part.text()]).toEqual([206, 'ingot']);
      expect((await fetch(link, { method: 'HEAD' })).status).toBe(403);
      const far = await fetch(link.replace('drive', 'other'));
      expect([far.status, await far.text()]).toEqual([403, expect.stringContaining('signature does not fit')]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
