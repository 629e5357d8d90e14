/** The demo against a tiny API and control port: which calls it makes from which state, and what it makes of answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { runDemo } from '../../../local/demo/demo.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';

type Node = { uuid: string; name: string; provision_state: string; [field: string]: unknown };

/** What a verb leads to at once; the real states in between are the business of other tests. */
const outcomes: Record<string, string> = {
  manage: 'manageable',
  provide: 'available',
  active: 'active',
  deleted: 'available',
};

let server: Server;
let url: string;
let nodes: Map<string, Node>;
let ports: Set<string>;
let calls: string[];
let refuse: Record<string, string>;
/** What the tenant and the flavors' maker have made, by collection, and what they called. */
let made: Map<string, Record<string, unknown>[]>;
let tenantCalls: { line: string; by: string }[];
let servers: Record<string, unknown>[];
const machines = ['m0001', 'm0002'].map((name) => ({
  name,
  address: `https://127.0.0.1:1/${name}`,
  system_id: '/redfish/v1/Systems/1',
  username: 'u',
  password: 'p',
  mac: '52:54:00:00:00:01',
  certificate: 'PEM',
}));

const nodeOf = (ident: string) => nodes.get(ident) ?? [...nodes.values()].find(({ uuid }) => uuid === ident);

/** A server is there at once, on a machine that is free, and gone at once. */
const serverAnswer = (method: string, id: string | undefined, body: Record<string, unknown>): [number, unknown] => {
  const isFree = ({ provision_state: state, instance_uuid: server }: Node) => state === 'available' && server === null;
  if (method === 'POST') {
    const given = body['server'] as Record<string, unknown>;
    const node = [...nodes.values()].find(isFree)!;
    Object.assign(node, { provision_state: 'active', instance_uuid: 'server-1' });
    servers = [{ id: 'server-1', status: 'ACTIVE', addresses: { private: [{ addr: '10.20.0.9' }] }, ...given }];
    return [202, { server: servers[0] }];
  }
  if (id === undefined) return [200, { servers }];
  const server = servers.find((one) => one['id'] === id);
  if (!server) return [404, { itemNotFound: { message: `Instance ${id} could not be found.` } }];
  if (method === 'GET') return [200, { server }];
  servers = [];
  const node = [...nodes.values()].find(({ instance_uuid: uuid }) => uuid === id)!;
  Object.assign(node, { provision_state: 'available', instance_uuid: null });
  return [204, undefined];
};

const single: Record<string, string> = { flavors: 'flavor', networks: 'network', subnets: 'subnet' };

/** Lists and makers of what servers are made of. */
const tenantAnswer = (method: string, path: string, body: Record<string, unknown>): [number, unknown] => {
  const [, , collection = '', id, more] = path.replace(/\?.*/, '').split('/').slice(1);
  if (collection === 'servers') return serverAnswer(method, id, body);
  const list = made.get(collection) ?? [];
  if (method === 'GET') return [200, { [collection.replace('os-', '')]: list }];
  if (id !== undefined) {
    if (more === 'import') Object.assign(list[0]!, { status: 'active' });
    return [200, {}];
  }
  const name = single[collection];
  const given = (name === undefined ? body : body[name]) as Record<string, unknown>;
  const record = { id: `id-of-${collection}`, subnets: [], ...given };
  made.set(collection, [...list, record]);
  if (collection === 'subnets') made.get('networks')![0]!['subnets'] = ['s'];
  return [201, name === undefined ? record : { [name]: record }];
};

const nodesAnswer = (path: string): [number, unknown] => {
  const query = new URL(path, 'http://api').searchParams;
  const wanted = [...query].filter(([name]) => ['provision_state', 'instance_uuid'].includes(name));
  const found = [...nodes.values()].filter((node) => wanted.every(([name, value]) => node[name] === value));
  return [200, { nodes: found }];
};

const answer = (method: string, path: string, body: Record<string, unknown>): [number, unknown] => {
  if (/^\/(?:compute|image|network)\//.test(path)) return tenantAnswer(method, path, body);
  if (path.startsWith('/v1/nodes?')) return nodesAnswer(path);
  if (path.endsWith('/guest-metadata')) return [200, 'address="10.20.0.9"'];
  const [, what, ident, ...rest] = path.split('/').slice(1);
  if (path === '/machines') {
    return [200, { machines, images: { deploy_iso: 'iso', demo_raw: { url: 'raw', sha256: 'abc', size: 1 } } }];
  }
  if (path.startsWith('/machines/')) return [200, { power: 'off', media: {}, disk: {}, violations: [] }];
  if (what?.startsWith('ports')) {
    const uuid = method === 'POST' ? String(body['node_uuid']) : path.split('=')[1]!;
    if (method === 'POST') ports.add(uuid);
    return [200, { ports: ports.has(uuid) ? [{}] : [] }];
  }
  if (method === 'POST') {
    const node: Node = {
      uuid: `uuid-of-${String(body['name'])}`,
      name: String(body['name']),
      provision_state: 'enroll',
      driver_info: body['driver_info'],
      instance_info: {},
      instance_uuid: null,
      maintenance: false,
      reservation: null,
      last_error: null,
    };
    nodes.set(node.name, node);
    return [201, node];
  }
  const node = nodeOf(ident!);
  if (!node) return [404, { error_message: JSON.stringify({ faultstring: `Node ${ident} could not be found.` }) }];
  if (rest[1] === 'provision') {
    const target = String(body['target']);
    const state = refuse[`${node.name} ${target}`];
    if (state) Object.assign(node, { provision_state: state, last_error: 'the BMC is on fire' });
    else node.provision_state = outcomes[target]!;
    return [202, undefined];
  }
  return [200, node];
};

const read = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
};

beforeEach(async () => {
  [nodes, ports, calls, refuse] = [new Map(), new Set(), [], {}];
  [made, tenantCalls, servers] = [new Map(), [], []];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const text = await read(request);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
    const line = `${method} ${path} ${body['target'] ?? ''}`.trim();
    const by = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    if (method !== 'GET' && path.startsWith('/v1/')) calls.push(line);
    else if (method !== 'GET') tenantCalls.push({ line, by });
    const [status, reply] = answer(method, path, body);
    response.writeHead(status).end(reply === undefined ? '' : JSON.stringify(reply));
  };
  server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

const run = async (once = false) => {
  const said: string[] = [];
  const missed = await runDemo({
    urls: { baremetal: url, compute: `${url}/compute`, image: `${url}/image`, network: `${url}/network` },
    control: url,
    once,
    clock: createVirtualClock(),
    display: {
      say: (text) => said.push(text),
      tell: (mark, text) => said.push(`${mark}: ${text}`),
      finish: () => undefined,
      show: (name, what, mark) => mark === 'bad' && said.push(`${name}: ${what}`),
      close: () => undefined,
    },
    phases: { follow: () => undefined, receive: () => undefined },
    objects: async () => [],
  });
  return { missed, said: said.join('\n') };
};

it('enrols every machine with a port, makes it available, and deploys the first', async () => {
  await run();
  expect([...nodes.values()].map(({ name, provision_state: state }) => [name, state])).toEqual([
    ['m0001', 'active'],
    ['m0002', 'available'],
  ]);
  expect(calls.filter((call) => call === 'POST /v1/ports')).toHaveLength(2);
  expect(calls.filter((call) => call.includes('m0001/states'))).toEqual([
    'PUT /v1/nodes/uuid-of-m0001/states/provision manage',
    'PUT /v1/nodes/uuid-of-m0001/states/provision provide',
    'PUT /v1/nodes/uuid-of-m0001/states/provision active',
  ]);
});

it('names each check that did not hold: here the machine has an empty disk', async () => {
  const { missed } = await run();
  expect(missed).toContain('the machine is on');
  expect(missed).not.toContain('the node is active');
});

it('goes on to give the machine back when it shall run once', async () => {
  const { missed } = await run(true);
  expect(calls.at(-1)).toBe('PUT /v1/nodes/uuid-of-m0001/states/provision deleted');
  expect(missed).not.toContain('the machine is off');
});

it('goes on with the nodes of an earlier start', async () => {
  await run();
  calls.length = 0;
  const { said } = await run();
  expect(calls).toEqual([]);
  expect(said).toContain('deployed already');
});

it('adds the port that an earlier start did not get to', async () => {
  await run();
  ports.clear();
  calls.length = 0;
  await run();
  expect(calls).toEqual(['POST /v1/ports', 'POST /v1/ports']);
});

it('follows a simulator that now listens elsewhere', async () => {
  await run();
  calls.length = 0;
  machines[1]!.address = 'https://127.0.0.1:2/m0002';
  await run();
  expect(calls).toEqual(['PATCH /v1/nodes/uuid-of-m0002']);
});

it('makes the tenant a server of things of her own, of a flavor of the operator, and deletes it', async () => {
  const { said } = await run();
  expect(tenantCalls).toEqual([
    { line: 'POST /compute/v2.1/flavors', by: '' },
    { line: 'POST /compute/v2.1/flavors/simulated/os-extra_specs', by: '' },
    { line: 'POST /image/v2/images', by: 'ann:blue' },
    { line: 'POST /image/v2/images/id-of-images/import', by: 'ann:blue' },
    { line: 'POST /network/v2.0/networks', by: 'ann:blue' },
    { line: 'POST /network/v2.0/subnets', by: 'ann:blue' },
    { line: 'POST /compute/v2.1/os-keypairs', by: 'ann:blue' },
    { line: 'POST /compute/v2.1/servers', by: 'ann:blue' },
    { line: 'DELETE /compute/v2.1/servers/server-1', by: 'ann:blue' },
  ]);
  expect(said).toContain('demo-server has the addresses 10.20.0.9.');
  expect(said).toContain('it is m0002, and its guest metadata document');
  expect(said).toContain('good: its node has its id as instance_uuid');
  expect(said).toContain('bad: meta_data.json has her public key, but found:');
});

it('makes nothing twice, and deletes the server of a start that was cut off', async () => {
  await run();
  tenantCalls.length = 0;
  Object.assign(nodes.get('m0002')!, { provision_state: 'active', instance_uuid: 'old' });
  servers = [{ id: 'old', name: 'demo-server', status: 'ACTIVE', addresses: {} }];
  await run();
  expect(tenantCalls.map(({ line }) => line.replace('/compute/v2.1', ''))).toEqual([
    'DELETE /servers/old',
    'POST /flavors/simulated/os-extra_specs',
    'POST /servers',
    'DELETE /servers/server-1',
  ]);
});

it('says that there is no machine left for a server', async () => {
  await run();
  tenantCalls.length = 0;
  Object.assign(nodes.get('m0002')!, { provision_state: 'active', instance_uuid: 'of somebody' });
  const { said, missed } = await run();
  expect(said).toContain('No machine is left for it');
  expect(missed.join()).not.toContain('server');
  expect(tenantCalls).toEqual([]);
});

it('says why a machine did not become available, and still deploys another', async () => {
  refuse = { 'm0001 manage': 'enroll' };
  const { missed, said } = await run();
  expect(missed[0]).toBe('m0001 becomes available');
  expect(said).toContain('m0001: m0001 is in state "enroll": the BMC is on fire');
  expect(nodes.get('m0002')!.provision_state).toBe('active');
});

it('reports a deployment that failed as what did not hold', async () => {
  refuse = { 'm0001 active': 'deploy failed' };
  const { missed } = await run();
  expect(missed.join()).toContain('the BMC is on fire');
});

it('says in one sentence that nothing answers', async () => {
  server.close();
  server.closeAllConnections();
  const { missed } = await run();
  expect(missed).toEqual([expect.stringContaining('does not answer')]);
});
