/** Whatever is sent: an answer in Ironic's form, never a 500, and nothing stored by what was refused. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

import { allocation as allocationFields } from '../../../layers/domain/allocation.ts';
import { chassis as chassisFields } from '../../../layers/domain/chassis.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { port as portFields } from '../../../layers/domain/port.ts';
import { portgroup as portgroupFields } from '../../../layers/domain/portgroup.ts';
import { volumeConnector, volumeTarget } from '../../../layers/domain/volume.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { hostile } from '../../fakes/hostile.ts';
import { createFront } from './front.ts';

const platform = createMemoryPlatform();
let writes = 0;
const write: Table['write'] = async (list) => {
  await platform.table.write(list);
  writes += 1;
};
const front = createFront({}, { ...platform, table: { ...platform.table, write } });
const tables = [
  allocationFields,
  nodeFields,
  portFields,
  portgroupFields,
  chassisFields,
  volumeConnector,
  volumeTarget,
];
const names = [...new Set([...tables.flatMap((table) => Object.keys(table)), '__proto__', 'constructor', 'x'])];
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(
    'fake-hardware',
    'n1',
    'true',
    '******',
    '52:54:00:00:00:01',
    '11111111-1111-4111-8111-111111111111',
    '\u0000',
    '\ud800',
    'x'.repeat(5000),
    ...hostile,
  ),
);
const home = '44444444-4444-4444-8444-444444444444';
const chassis = '33333333-3333-4333-8333-333333333333';
const version = fc.oneof(
  fc.constant('latest'),
  fc.integer({ min: 1, max: 115 }).map((n) => `1.${n}`),
);
const words = fc.constantFrom(
  '/v1/nodes',
  '/v1/nodes/detail',
  '/v1/ports',
  '/v1/nodes/n1',
  '/v1/nodes/n1/ports',
  '/v1/portgroups',
  '/v1/portgroups/bond0/ports',
  '/v1/chassis',
  `/v1/chassis/${chassis}/nodes`,
  '/v1/nodes/n1/history',
  '/v1/nodes/n1/children',
  '/v1/shards',
  '/v1/allocations',
  '/v1/nodes/n1/allocation',
  '/v1/volume/connectors',
  '/v1/nodes/n1/volume/targets',
);

/** Expects a well-formed answer to one request; a refusal writes nothing. */
const check = async (line: string, options: { body?: unknown; version: string }) => {
  const before = writes;
  const { status, body } = await front.request(line, options);
  expect(status).toBeLessThan(500);
  if (status < 400) return;
  const inner = body.error_message === undefined ? body : (JSON.parse(body.error_message) as Record<string, unknown>);
  expect(inner.faultstring ?? inner.description).toEqual(expect.stringMatching(/./));
  expect(writes).toBe(before);
};

describe('any input is answered', () => {
  beforeAll(async () => {
    await front.enrol({ uuid: home, name: 'n1', extra: { a: { b: [1] } } });
    const others = [
      ['portgroups', { node_uuid: 'n1', name: 'bond0' }],
      ['chassis', { uuid: chassis }],
    ] as const;
    for (const [collection, body] of others) {
      const { status, error } = await front.request(`POST /v1/${collection}`, { body });
      if (status !== 201) throw new Error(error);
    }
  });

  it('as the body of a new node', async () => {
    const body = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(body, version, async (given, at) =>
        check('POST /v1/nodes', { body: { driver: 'fake-hardware', ...given }, version: at }),
      ),
      { numRuns: 150 },
    );
  });

  it('as the body of a new port', async () => {
    const body = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(body, version, async (given, at) =>
        check('POST /v1/ports', { body: { node_uuid: 'n1', address: '52:54:00:00:00:02', ...given }, version: at }),
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['portgroups', { node_uuid: 'n1' }],
    ['chassis', {}],
    ['allocations', { resource_class: 'x' }],
    ['volume/connectors', { node_uuid: home, type: 'ip', connector_id: 'a' }],
    ['volume/targets', { node_uuid: home, volume_type: 'iscsi', volume_id: 'v', boot_index: 0 }],
  ])('as the body of a new record of %s', async (collection, needed) => {
    const body = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(body, version, async (given, at) =>
        check(`POST /v1/${collection}`, { body: { ...needed, ...given }, version: at }),
      ),
      { numRuns: 100 },
    );
  });

  it('as any body at all', async () => {
    const body = fc.oneof(values, fc.string(), fc.uint8Array());
    const line = fc.constantFrom(
      'POST /v1/nodes',
      'PATCH /v1/nodes/n1',
      'POST /v1/ports',
      'POST /v1/portgroups',
      'POST /v1/chassis',
      'PUT /v1/nodes/n1/maintenance',
    );
    await fc.assert(
      fc.asyncProperty(line, body, version, async (at, given, microversion) =>
        check(at, { body: given, version: microversion }),
      ),
      { numRuns: 100 },
    );
  });

  it('as a patch', async () => {
    const patched = fc.constantFrom('/v1/nodes/n1', '/v1/portgroups/bond0', `/v1/chassis/${chassis}`);
    const rest = fc.constantFrom('', '/a', '/a/b', '/a/b/0', '/a/b/-', '/constructor', '/x/y');
    const step = fc.record(
      {
        op: fc.constantFrom('add', 'replace', 'remove'),
        path: fc.tuple(fc.constantFrom(...names), rest).map(([name, tail]) => `/${name}${tail}`),
        value: values,
      },
      { requiredKeys: ['op', 'path'] },
    );
    await fc.assert(
      fc.asyncProperty(patched, fc.array(step, { maxLength: 3 }), version, async (path, body, at) =>
        check(`PATCH ${path}`, { body, version: at }),
      ),
      { numRuns: 300 },
    );
  });

  it('as a query', async () => {
    const known = [
      'limit',
      'marker',
      'sort_key',
      'sort_dir',
      'fields',
      'detail',
      'associated',
      'instance_uuid',
      'shard',
    ];
    const query = fc.array(
      fc.tuple(fc.constantFrom(...known, ...names), fc.oneof(fc.string(), fc.constantFrom(...names))),
    );
    await fc.assert(
      fc.asyncProperty(words, query, version, async (path, pairs, at) =>
        check(`GET ${path}?${new URLSearchParams(pairs).toString()}`, { version: at }),
      ),
      { numRuns: 150 },
    );
  });

  it('as a path', async () => {
    const segment = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('v1', 'nodes', 'ports', 'n1', 'states', '..'),
    );
    const path = fc.array(segment, { maxLength: 6 }).map((pieces) => pieces.map(encodeURIComponent).join('/'));
    const method = fc.constantFrom('GET', 'PUT', 'DELETE');
    await fc.assert(
      fc.asyncProperty(method, path, version, async (verb, at, microversion) => {
        fc.pre(!(verb === 'DELETE' && at.includes('n1')));
        await check(`${verb} /${at}`, { version: microversion });
      }),
      { numRuns: 150 },
    );
  });
});
