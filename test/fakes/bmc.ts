/**
 * A BMC that obeys, on 127.0.0.1, over real TLS: a few resources, Basic and sessions, power, boot and virtual media.
 * Tests change its resources, and script single answers with `answer`.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { generate } from 'selfsigned';

import { pemFingerprints } from '../../layers/bmc/trust.ts';

type Json = Record<string, unknown>;

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: Json;
};

/** `hang`: never answered. `reset`: the connection is closed. `cut`: the answer ends in the middle. */
export type Scripted =
  | 'hang'
  | 'reset'
  | 'cut'
  | { status: number; headers?: Record<string, string>; body?: unknown; text?: string | Buffer }
  | ((request: Seen) => Scripted | undefined);

export type FakeBmc = {
  readonly port: number;
  readonly certificate: string;
  readonly fingerprint256: string;
  /** By path; what GET answers. */
  readonly resources: Record<string, Json>;
  /** Every request that got through TLS, in order. */
  readonly requests: Seen[];
  /** Every connection that was made, in order. */
  readonly connections: TLSSocket[];
  readonly sessions: Set<string>;
  readonly username: string;
  password: string;
  /** Queues answers for `METHOD /path`, one request each; undefined from a function: the BMC's own answer. */
  answer(what: string, ...answers: Scripted[]): void;
  /** Asked before the BMC itself, in order; undefined: the next. */
  readonly handlers: ((seen: Seen) => Scripted | undefined)[];
  /** `METHOD /path` of all requests, without those to log in and out and for the service root. */
  story(): string[];
  close(): Promise<void>;
};

export const fixture = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../fixtures/redfish/${name}.json`, import.meta.url), 'utf8')) as Json;

export type Certificate = { readonly cert: string; readonly private: string };

/** For a server at this IP address; self-signed, or signed by `ca`. */
export const makeCertificate = async (ip: string, ca?: Certificate): Promise<Certificate> =>
  generate([{ name: 'commonName', value: `bmc ${ip}` }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
    ...(ca && { ca: { key: ca.private, cert: ca.cert } }),
  });

export const makeCa = async (): Promise<Certificate> =>
  generate([{ name: 'commonName', value: 'test CA' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true }],
  });

let shared: Promise<Certificate> | undefined;

const collection = (path: string, members: string[]): Json => ({
  '@odata.id': path,
  Members: members.map((id) => ({ '@odata.id': `${path}/${id}` })),
});

const withPrefix = (prefix: string, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('"/redfish/', `"${prefix}/redfish/`));

const initial = (prefix: string): Record<string, Json> => {
  const system = '/redfish/v1/Systems/1';
  const all: Record<string, Json> = {
    '/redfish/v1/': fixture('service-root'),
    '/redfish/v1/Systems': collection('/redfish/v1/Systems', ['1']),
    [system]: fixture('system'),
    '/redfish/v1/Managers': collection('/redfish/v1/Managers', ['1']),
    '/redfish/v1/Managers/1': fixture('manager'),
    [`${system}/VirtualMedia`]: collection(`${system}/VirtualMedia`, ['1', '2']),
    [`${system}/VirtualMedia/1`]: fixture('virtual-media-cd'),
    [`${system}/VirtualMedia/2`]: fixture('virtual-media-usb'),
  };
  return Object.fromEntries(
    Object.entries(all).map(([path, body]) => [prefix + path, withPrefix(prefix, body) as Json]),
  );
};

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const merge = (into: Json, change: Json): void => {
  for (const [name, value] of Object.entries(change)) {
    const inner = into[name];
    const both = typeof value === 'object' && value !== null && typeof inner === 'object' && inner !== null;
    if (both) merge(inner as Json, value as Json);
    else into[name] = value;
  }
};

const resets: Readonly<Record<string, string>> = { On: 'On', ForceOff: 'Off', GracefulShutdown: 'Off' };

/** Actions by the end of their path, on the resource that has them. */
const actions: Readonly<Record<string, (resource: Json, body: Json) => void>> = {
  'ComputerSystem.Reset': (system, { ResetType }) => {
    system['PowerState'] = resets[ResetType as string] ?? system['PowerState'];
  },
  'VirtualMedia.InsertMedia': (slot, { Image }) => Object.assign(slot, { Image, Inserted: true }),
  'VirtualMedia.EjectMedia': (slot) => Object.assign(slot, { Image: null, Inserted: false }),
};

/** A started BMC; `prefix` is the path before /redfish. Without a certificate of its own it has that of all. */
export const createFakeBmc = async ({
  prefix = '',
  certificate,
}: { prefix?: string; certificate?: Certificate } = {}): Promise<FakeBmc> => {
  const { cert, private: key } = certificate ?? (await (shared ??= makeCertificate('127.0.0.1')));
  const scripts = new Map<string, Scripted[]>();
  const sockets = new Set<Socket>();
  const sessionsPath = `${prefix}/redfish/v1/SessionService/Sessions`;
  let opened = 0;

  const isKnown = ({ headers }: Seen): boolean => {
    const basic = `Basic ${Buffer.from(`${bmc.username}:${bmc.password}`).toString('base64')}`;
    return headers.authorization === basic || bmc.sessions.has(String(headers['x-auth-token']));
  };

  const login = ({ body }: Seen): Scripted => {
    if (body['UserName'] !== bmc.username || body['Password'] !== bmc.password) return { status: 401 };
    opened += 1;
    bmc.sessions.add(`token-${opened}`);
    return {
      status: 201,
      headers: { 'X-Auth-Token': `token-${opened}`, Location: `${sessionsPath}/${opened}` },
      body: { '@odata.id': `${sessionsPath}/${opened}` },
    };
  };

  const act = ({ path, body }: Seen): Scripted => {
    const [resource = '', name = ''] = path.split('/Actions/');
    const found = bmc.resources[resource];
    const action = actions[name];
    if (!found || !action) return { status: 404 };
    action(found, body);
    return { status: 204 };
  };

  const own = (seen: Seen): Scripted => {
    const { method, path, body } = seen;
    if (method === 'POST' && path === sessionsPath) return login(seen);
    if (path !== `${prefix}/redfish/v1/` && !isKnown(seen)) return { status: 401 };
    if (method === 'DELETE' && path.startsWith(sessionsPath)) {
      bmc.sessions.delete(`token-${path.split('/').at(-1)}`);
      return { status: 204 };
    }
    if (method === 'POST') return act(seen);
    const found = bmc.resources[path];
    if (!found) return { status: 404 };
    if (method === 'PATCH') merge(found, body);
    const etag = found['@odata.etag'];
    return { status: 200, body: found, ...(typeof etag === 'string' && { headers: { ETag: etag } }) };
  };

  const scripted = (seen: Seen): Scripted => {
    const next = scripts.get(`${seen.method} ${seen.path}`)?.shift();
    const answer = typeof next === 'function' ? next(seen) : next;
    if (answer) return answer;
    for (const handle of bmc.handlers) {
      const other = handle(seen);
      if (other) return other;
    }
    return own(seen);
  };

  const reply = (response: ServerResponse, answer: Scripted): void => {
    if (answer === 'hang' || typeof answer === 'function') return;
    if (answer === 'reset') {
      response.destroy();
      return;
    }
    if (answer === 'cut') {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{"half":', () => response.destroy());
      return;
    }
    const text = answer.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
    response.writeHead(answer.status, { 'Content-Length': Buffer.byteLength(text), ...answer.headers });
    response.end(text);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request);
    const body = text === '' ? {} : (JSON.parse(text) as Json);
    const seen = { method: request.method!, path: request.url!, headers: request.headers, text, body };
    bmc.requests.push(seen);
    reply(response, scripted(seen));
  };

  const server = createServer({ cert, key }, (request, response) => void serve(request, response));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket) => bmc.connections.push(socket));
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });

  const bmc: FakeBmc = {
    port: (server.address() as AddressInfo).port,
    certificate: cert,
    fingerprint256: pemFingerprints(cert)[0]!,
    resources: initial(prefix),
    requests: [],
    connections: [],
    sessions: new Set(),
    handlers: [],
    username: 'admin',
    password: 'MARKER-password-4711',
    answer: (what, ...answers) => scripts.set(what, [...(scripts.get(what) ?? []), ...answers]),
    story: () =>
      bmc.requests
        .filter(({ path }) => !path.startsWith(sessionsPath) && path !== `${prefix}/redfish/v1/`)
        .map(({ method, path }) => `${method} ${path}`),
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return bmc;
};
