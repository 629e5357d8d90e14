/** Who may do what: every kind of record, every method, every caller. */
import { beforeEach, describe, expect, it } from 'vitest';

import { ann, bob, chief, createFront, ray, root, tenant, withSubnet } from './front.ts';

const callers = { root, chief, ann, ray, bob, rob: tenant('rob', 'blue', 'reader'), nobody: null } as const;
type Name = keyof typeof callers;

const collections = ['networks', 'subnets', 'ports', 'floatingips'] as const;
type Ids = Record<(typeof collections)[number], string>;

/** What each is answered for a record of ann's project: in the order of `callers`. */
const matrix: Readonly<Record<string, readonly number[]>> = {
  GET: [200, 200, 200, 200, 404, 404, 401],
  PUT: [200, 200, 200, 403, 404, 404, 401],
  DELETE: [204, 204, 204, 403, 404, 404, 401],
  'GET tags': [200, 200, 200, 200, 404, 404, 401],
  'PUT tags': [200, 200, 200, 403, 404, 404, 401],
  POST: [201, 201, 201, 403, 403, 403, 401],
  list: [1, 1, 1, 1, 0, 0, 401],
};

const names = Object.keys(callers) as Name[];
const rows = Object.entries(matrix).flatMap(([what, answers]) =>
  names.map((name, at) => [what, name, answers[at]!] as const),
);

let front: ReturnType<typeof createFront>;
let ids: Ids;
let bodies: Record<(typeof collections)[number], object>;

beforeEach(async () => {
  front = createFront();
  const { network_id, subnet_id } = await withSubnet(front);
  const external = { network: { 'router:external': true }, cidr: '203.0.113.0/24', subject: root };
  const { network_id: floating_network_id } = await withSubnet(front, external);
  const { id: bare } = await front.make('networks', { name: 'bare' });
  const { id: loose } = await front.make('subnets', { network_id: bare, ip_version: 4, cidr: '10.5.0.0/24' });
  const port = await front.make('ports', { network_id });
  const floating = await front.make('floatingips', { floating_network_id });
  ids = {
    networks: bare as string,
    subnets: loose as string,
    ports: port.id as string,
    floatingips: floating.id as string,
  };
  bodies = {
    networks: { project_id: 'red' },
    subnets: { network_id, ip_version: 4, cidr: '10.9.0.0/24', project_id: 'red' },
    ports: { network_id, project_id: 'red', fixed_ips: [{ subnet_id }] },
    floatingips: { floating_network_id, port_id: port.id as string, project_id: 'red' },
  };
});

const ask = async (collection: (typeof collections)[number], what: string, name: Name): Promise<number> => {
  const subject = callers[name];
  const one = `/v2.0/${collection}/${ids[collection]}`;
  const body = { [collection.replace(/s$/, '')]: { description: 'x' } };
  if (what === 'list') {
    const { status, body: answer } = await front.request(`GET /v2.0/${collection}?id=${ids[collection]}`, { subject });
    return status === 200 ? (answer[collection] as unknown[]).length : status;
  }
  if (what === 'POST') {
    const made = { [collection.replace(/s$/, '')]: bodies[collection] };
    return (await front.request(`POST /v2.0/${collection}`, { body: made, subject })).status;
  }
  const [method, sub] = what.split(' ');
  const line = `${method} ${one}${sub ? `/${sub}` : ''}`;
  const sent = sub ? { tags: ['a'] } : body;
  return (await front.request(line, { ...(method === 'PUT' && { body: sent }), subject })).status;
};

describe.each(collections)('%s of a project', (collection) => {
  it.each(rows)('%s by %s: %i', async (what, name, answer) => {
    expect(await ask(collection, what, name)).toBe(answer);
  });
});
