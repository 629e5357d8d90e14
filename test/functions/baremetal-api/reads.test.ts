/**
 * Lists are answered out of index entries where those tell enough. What they answer is what the whole records would, and
 * what a filter says that it reads is all that it reads.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { filtersOf, type Filters } from '../../../layers/domain/filters.ts';
import { nodeFilters } from '../../../layers/domain/node-filters.ts';
import { portFilters } from '../../../layers/domain/port.ts';
import { portgroupFilters } from '../../../layers/domain/portgroup.ts';
import { runbookFilters } from '../../../layers/domain/runbook.ts';
import { volumeFilters } from '../../../layers/domain/volume.ts';
import type { Key } from '../../../layers/platform/table.ts';
import type { AnyKind } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { createFront } from './front.ts';

const own: Readonly<Record<string, object>> = {
  node: nodeFilters,
  port: portFilters,
  portgroup: portgroupFilters,
  runbook: runbookFilters,
  volume_connector: volumeFilters,
  volume_target: volumeFilters,
};
const rows: readonly (readonly [string, AnyKind])[] = Object.entries(kinds);

describe.each(rows)('the filters of kind %s', (name, kind) => {
  const filters = filtersOf<object>(kind.fields, own[name] as Filters<object> | undefined);
  const tested = Object.entries(filters).filter(([, { keep }]) => keep);

  it('say what they read', () => {
    for (const [, filter] of tested) {
      const read = new Set<string>();
      const record = new Proxy({}, { get: (_target, field) => void read.add(String(field)) });
      for (const value of [true, false, 'x', null]) {
        filter.keep!(record, (filter.many ? [value] : value) as never);
      }
      expect(filter.looksAt).toEqual(expect.arrayContaining([...read]));
    }
  });
});

type Front = ReturnType<typeof createFront>;
let front: Front;
/** Items that were read besides entries. */
let behind: Key[];

beforeAll(async () => {
  front = createFront();
  for (let n = 0; n < 12; n += 1) {
    const { uuid } = await front.enrol({
      name: `n${n}`,
      resource_class: n % 2 ? 'big' : 'small',
      ...(n % 3 === 0 && { owner: 'p1', shard: 's1' }),
      ...(n % 4 === 0 && { description: `in rack ${n}` }),
    });
    await front.force(uuid, {
      provision_state: n % 2 ? 'available' : 'active',
      ...(n % 5 === 0 && { maintenance: true, power_state: 'power on' }),
    });
    const port = {
      node_uuid: uuid,
      address: `52:54:00:00:00:0${n.toString(16)}`,
      ...(n % 2 && { description: 'odd' }),
    };
    await front.request('POST /v1/ports', { body: port });
  }
  const { getMany } = front.platform.table;
  front.platform.table.getMany = async (keys, options) => {
    behind.push(...keys);
    return getMany(keys, options);
  };
});

const ask = async (line: string, list: string) => {
  behind = [];
  const { status, body } = await front.request(`GET /v1/${line}`);
  expect(status).toBe(200);
  return { found: body[list] as Record<string, unknown>[], read: behind.length };
};

const queries = [
  '',
  'limit=5',
  'sort_key=name&sort_dir=desc&limit=7',
  'sort_key=provision_state',
  'provision_state=available',
  'provision_state=active&maintenance=true',
  'maintenance=false&limit=4',
  'project=p1',
  'shard=s1&sort_key=updated_at',
  'resource_class=big',
  'associated=false',
  'sharded=true',
  'description_contains=rack',
];

describe('a list of nodes', () => {
  it.each(queries)('(%s) shows what the whole nodes would', async (query) => {
    const whole = (await ask(`nodes/detail?${query}`, 'nodes')).found;
    for (const fields of ['uuid,name,provision_state', 'uuid,maintenance,driver,owner', 'power_state,instance_uuid']) {
      const { found } = await ask(`nodes?${query}&fields=${fields}`, 'nodes');
      const names = [...fields.split(','), 'links'];
      expect(found).toEqual(whole.map((node) => Object.fromEntries(names.map((name) => [name, node[name]]))));
    }
    const brief = (await ask(`nodes?${query}`, 'nodes')).found;
    expect(brief).toEqual(
      whole.map((node) => Object.fromEntries(Object.keys(brief[0]!).map((name) => [name, node[name]]))),
    );
  });

  it('reads no node where the entries tell enough', async () => {
    for (const query of ['', '?limit=3', '?provision_state=available', '?sort_key=name', '?sharded=true']) {
      expect(await ask(`nodes${query}`, 'nodes')).toMatchObject({ read: 0 });
    }
    expect(await ask('nodes?resource_class=big', 'nodes')).toMatchObject({ read: 6 });
    expect(await ask('nodes?fields=uuid,driver', 'nodes')).toMatchObject({ read: 12 });
    expect(await ask('nodes?sort_key=updated_at', 'nodes')).toMatchObject({ read: 12 });
  });
});

describe('a list of ports', () => {
  it.each(['', 'limit=3', 'sort_key=address&sort_dir=desc', 'description_contains=odd', 'shard=s1'])(
    '(%s) shows what the whole ports would',
    async (query) => {
      const whole = (await ask(`ports/detail?${query}`, 'ports')).found;
      const brief = (await ask(`ports?${query}`, 'ports')).found;
      expect(brief).toEqual(whole.map(({ uuid, address, links }) => ({ uuid, address, links })));
    },
  );

  it('reads no port where the entries tell enough', async () => {
    expect(await ask('ports?limit=5', 'ports')).toMatchObject({ read: 0 });
    expect(await ask('ports?fields=uuid,extra&limit=5', 'ports')).toMatchObject({ read: 5 });
  });
});
