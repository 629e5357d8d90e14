/** Who asks: what is needed of them, and tokens that end in the middle of a run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { credentialsOf } from '../../migrate/credentials.ts';
import { openService } from '../../migrate/service.ts';

/** The only token that the service takes. */
let good: string;
/** What Keystone gives, in order, and what it was asked with. */
let tokens: string[];
let asked: unknown[];
let servers: Server[];
let folder: string;

const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
};

let service: string;
let keystone: string;
beforeEach(async () => {
  [good, tokens, asked, servers] = ['one', ['one', 'two', 'three'], [], []];
  folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
  service = await serve((request, response) =>
    response.writeHead(request.headers['x-auth-token'] === good ? 200 : 401).end('{"at": "home"}'),
  );
  keystone = await serve((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      asked.push([request.url, JSON.parse(Buffer.concat(pieces).toString())]);
      const token = tokens.shift();
      response.writeHead(token === undefined ? 401 : 201, { 'X-Subject-Token': token ?? 'none' }).end('{}');
    });
  });
});
afterEach(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = { INGOT_PASSWORD: 'canary' };
const named = { auth: 'keystone', user: 'ann', domain: 'sites', project: 'metal' } as const;
const open = (more: object = {}) =>
  openService('The API', service, credentialsOf({ ...named, 'auth-url': `${keystone}/v3`, ...more }, '', 'INGOT', env));

describe('a token of Keystone', () => {
  it('is taken for a name and a password, and kept as long as it is taken', async () => {
    const ask = open();
    for (const _ of [1, 2]) expect(await ask('GET', '/')).toEqual({ status: 200, body: { at: 'home' } });
    const domain = { name: 'sites' };
    const user = { name: 'ann', password: 'canary', domain };
    const identity = { methods: ['password'], password: { user } };
    expect(asked).toEqual([['/v3/auth/tokens', { auth: { identity, scope: { project: { name: 'metal', domain } } } }]]);
  });

  it('is of the system without a project', async () => {
    await open({ project: undefined, domain: undefined })('GET', '/');
    expect(asked).toMatchObject([[expect.any(String), { auth: { scope: { system: { all: true } } } }]]);
    expect(JSON.stringify(asked)).toContain('"name":"Default"');
  });

  it('that has ended is taken anew, once for all requests that were refused with it', async () => {
    const ask = open();
    await ask('GET', '/');
    good = 'two';
    const replies = await Promise.all([1, 2, 3].map(async () => ask('GET', '/')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(2);
  });

  it('that is refused though it is new ends the run, and the password is not told', async () => {
    good = 'none of them';
    await expect(open()('GET', '/')).rejects.toThrow('The API refused who asks (401)');
    tokens = [];
    const refused = open()('GET', '/');
    await expect(refused).rejects.toThrow('Keystone gives ann no token: it answered with 401.');
    await expect(refused).rejects.not.toThrow('canary');
  });

  it('is not asked for where the password could be read', async () => {
    await expect(open({ 'auth-url': 'http://keystone.example/v3' })('GET', '/')).rejects.toThrow('an https URL');
    expect(() => open({ 'auth-url': undefined })).toThrow('needs --auth-url');
    expect(() => open({ user: undefined })).toThrow('--auth keystone needs --user');
  });
});

describe('a token of a file', () => {
  it('is read again once it is refused', async () => {
    const path = join(folder, 'token');
    writeFileSync(path, 'one\n');
    const ask = openService('The API', service, credentialsOf({ auth: 'token', 'token-file': path }, '', 'INGOT', {}));
    await ask('GET', '/');
    good = 'two';
    writeFileSync(path, 'two\n');
    expect((await ask('GET', '/')).status).toBe(200);
    good = 'three';
    await expect(ask('GET', '/')).rejects.toMatchObject({ name: 'AccessDenied', code: 401 });
  });
});
