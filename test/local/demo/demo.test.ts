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

const answer = (method: string, path: string, body: Record<string, unknown>): [number, unknown] => {
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
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '' } = request;
    const text = await read(request);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
    if (method !== 'GET') calls.push(`${method} ${path} ${body['target'] ?? ''}`.trim());
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
    url,
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
