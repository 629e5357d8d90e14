/** Whatever is sent: an answer in Neutron's form, never a 500, and nothing stored by what was refused. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { floatingIp } from '../../../layers/domain/network/floating-ip.ts';
import { network } from '../../../layers/domain/network/network.ts';
import { port } from '../../../layers/domain/network/port.ts';
import { quota } from '../../../layers/domain/network/quota.ts';
import { subnet } from '../../../layers/domain/network/subnet.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { routes } from '../../../functions/network-api/routes.ts';
import { partsOf } from '../../../layers/http/tree.ts';
import { ann, createFront, root, withSubnet } from './front.ts';

const platform = createMemoryPlatform();
let writes = 0;
const write: Table['write'] = async (list) => {
  await platform.table.write(list);
  writes += 1;
};
const front = createFront({ ...platform, table: { ...platform.table, write } });
const tables = { network, subnet, port, floatingip: floatingIp, quota } as const;
const names = [
  ...new Set([...Object.values(tables).flatMap((rows) => Object.keys(rows)), '__proto__', 'constructor', 'x']),
];
const known: string[] = [];
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(
    '10.0.0.0/24',
    '10.0.0.9',
    'fd00::/64',
    'fd00::9',
    '0.0.0.0/0',
    '::/0',
    '255.255.255.255',
    '52:54:00:00:00:01',
    'true',
    4,
    6,
    -1,
    'slaac',
    'vlan',
    'x'.repeat(5000),
    '\u0000',
    '\ud800',
    [{ start: '10.0.0.2', end: '10.0.0.9' }],
    [{ ip_address: '10.0.0.9' }],
  ),
  fc.nat(20).map((at) => known[at % known.length] ?? ''),
);
const subject = fc.constantFrom(ann, root);

/** Expects a well-formed answer to one request; a refusal writes nothing. */
const check = async (line: string, options: { body?: unknown; subject: typeof ann }) => {
  const before = writes;
  const { status, body } = await front.request(line, options);
  expect([line, status < 500]).toEqual([line, true]);
  if (status < 400) return;
  expect(body.NeutronError).toEqual({
    type: expect.stringMatching(/^[A-Z]/),
    message: expect.stringMatching(/./),
    detail: '',
  });
  expect(writes).toBe(before);
};

beforeAll(async () => {
  const { network_id, subnet_id } = await withSubnet(front);
  const { id } = await front.make('ports', { network_id });
  const external = { network: { 'router:external': true }, cidr: '203.0.113.0/24', subject: root };
  const { network_id: floating } = await withSubnet(front, external);
  known.push(network_id, subnet_id, id as string, floating);
});

describe('any input is answered', () => {
  it.each(Object.keys(tables).filter((name) => name !== 'quota'))('as the body of a new %s', async (name) => {
    const usual = {
      network: {},
      subnet: () => ({ network_id: known[0], cidr: '10.1.0.0/24', ip_version: 4 }),
      port: () => ({ network_id: known[0] }),
      floatingip: () => ({ floating_network_id: known[3] }),
    }[name];
    const body = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(body, subject, async (given, who) => {
        const base = typeof usual === 'function' ? usual() : usual;
        await check(`POST /v2.0/${name}s`, { body: { [name]: { ...base, ...given } }, subject: who });
      }),
      { numRuns: 150 },
    );
  });

  it.each(['network', 'subnet', 'port'])('as a change of a %s', async (name) => {
    const body = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(body, subject, async (given, who) => {
        const id = known[['network', 'subnet', 'port'].indexOf(name)];
        await check(`PUT /v2.0/${name}s/${id}`, { body: { [name]: given }, subject: who });
      }),
      { numRuns: 150 },
    );
  });

  it('as any body of any route', async () => {
    const rows = routes.map(({ at }) => partsOf(at)).filter(({ method }) => method !== 'DELETE');
    const text = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('{', '[]', '{"quota": {}}', '{"quota": {"network": 5}}'),
      fc.dictionary(fc.constantFrom('network', 'networks', 'port', 'ports', 'quota', 'tags'), values, { maxKeys: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rows), text, fc.nat(3), subject, async ({ method, path }, body, at, who) => {
        const line = `${method} ${path.replace(/\{\w+\}/g, known[at] ?? 'x')}`;
        await check(line, { ...(method !== 'GET' && { body }), subject: who });
      }),
      { numRuns: 300 },
    );
  });

  it('as any query of a list', async () => {
    const lists = ['networks', 'subnets', 'ports', 'floatingips', 'security-groups'];
    const parameter = fc.tuple(
      fc.oneof(
        fc.constantFrom(...names),
        fc.constantFrom('limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse', 'fields', 'tags', 'fixed_ips'),
      ),
      fc.oneof(
        fc.string(),
        fc.constantFrom('1', '0', 'true', 'name', 'desc', '10.0.0.9', 'ip_address=10'),
        fc.nat(3).map((at) => known[at] ?? ''),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...lists),
        fc.array(parameter, { maxLength: 4 }),
        subject,
        async (list, query, who) =>
          check(`GET /v2.0/${list}?${new URLSearchParams(query).toString()}`, { subject: who }),
      ),
      { numRuns: 300 },
    );
  });
});
