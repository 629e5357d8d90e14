import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { createSink } from '../../../local/events/sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-sink-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a file', () => {
  it('gets a line an event, and is for its owner only', async () => {
    const path = join(folder, 'lines');
    const sink = createSink(path);
    await sink.send(['{"n":1}', '{"n":2}']);
    await sink.send(['{"n":3}']);
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('may be moved away at any time', async () => {
    const path = join(folder, 'moved');
    const sink = createSink(path);
    await sink.send(['1']);
    renameSync(path, `${path}.1`);
    await sink.send(['2']);
    expect([readFileSync(`${path}.1`, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['1\n', '2\n']);
  });

  it('keeps a line apart in which somebody died', async () => {
    const path = join(folder, 'torn');
    writeFileSync(path, '{"n":1}\n{"n":');
    await createSink(path).send(['{"n":2}']);
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"n":\n{"n":2}\n');
  });

  it('that cannot be written is named', async () => {
    await expect(createSink(join(folder, 'absent', 'file')).send(['1'])).rejects.toThrow('absent');
  });
});

describe('a URL', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  const serve = async (status = 200) => {
    const seen: { request: IncomingMessage; body: string }[] = [];
    const server = createServer((request, response) => {
      const answer = async () => {
        seen.push({ request, body: await text(request) });
        response.writeHead(status, { Location: '/elsewhere' }).end('private');
      };
      void answer();
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  };

  it('gets a list of events as JSON', async () => {
    const { host, seen } = await serve();
    await createSink(`http://${host}/hook?key=k`).send(['{"n":1}', '{"n":2}']);
    const [{ request, body }] = seen as [(typeof seen)[number]];
    expect(JSON.parse(body)).toEqual([{ n: 1 }, { n: 2 }]);
    expect([request.method, request.url]).toEqual(['POST', '/hook?key=k']);
    expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(request.headers.authorization).toBeUndefined();
  });

  it('may hold a name and a password, which go into a header', async () => {
    const { host, seen } = await serve();
    await createSink(`http://user:pass%20word@${host}/`).send(['1']);
    expect(seen[0]!.request.headers.authorization).toBe(`Basic ${Buffer.from('user:pass word').toString('base64')}`);
  });

  it('has not taken what it does not answer with success, and no secret of it is in what is said of that', async () => {
    const { host } = await serve(503);
    const sink = createSink(`http://user:word@${host}/secret?key=secret`);
    const error = (await sink.send(['1']).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toBe(`http://${host} answered 503.`);
    expect(sink.label).toBe(`http://${host}`);
    expect(`${error.message} ${String(error.cause)} ${error.stack} ${sink.label}`).not.toMatch(/secret|word|private/);
  });

  it('is not followed to another one', async () => {
    const { host, seen } = await serve(302);
    await expect(createSink(`http://${host}/`).send(['1'])).rejects.toThrow('answered 302');
    expect(seen).toHaveLength(1);
  });

  it('that nobody listens at is said to be out of reach', async () => {
    const { host } = await serve();
    for (const server of servers.splice(0)) server.close();
    await expect(createSink(`http://${host}/secret`).send(['1'])).rejects.toThrow(
      `http://${host} could not be reached (ECONNREFUSED).`,
    );
  });

  it('that is none is refused at the start, and not repeated', () => {
    expect(() => createSink('http://user:secret@[')).toThrow(/^(?!.*secret).*cannot be read/);
  });
});
