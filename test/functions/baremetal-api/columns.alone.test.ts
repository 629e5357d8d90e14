/**
 * A column acts wherever a record is shown: rows are added to the tables, nothing else is touched, and every route that
 * says it answers with records of a table is asked. The rows are in the tables before the API is loaded.
 */
import * as z from 'zod';
import { beforeAll, describe, expect, it } from 'vitest';

import type { Field, Fields } from '../../../layers/domain/fields.ts';
import { allocation } from '../../../layers/domain/allocation.ts';
import { chassis } from '../../../layers/domain/chassis.ts';
import { deployTemplate } from '../../../layers/domain/deploy-template.ts';
import { inspectionRule } from '../../../layers/domain/inspection-rule.ts';
import { node } from '../../../layers/domain/node.ts';
import { port } from '../../../layers/domain/port.ts';
import { portgroup } from '../../../layers/domain/portgroup.ts';
import { runbook } from '../../../layers/domain/runbook.ts';
import { json } from '../../../layers/domain/values.ts';
import { volumeConnector, volumeTarget } from '../../../layers/domain/volume.ts';

/** Every table whose records clients make, with what the nth needs, by its collection. */
const tables: Readonly<Record<string, { readonly rows: Fields; readonly body: (home: string, n: number) => object }>> =
  {
    nodes: { rows: node, body: () => ({ driver: 'fake-hardware' }) },
    portgroups: { rows: portgroup, body: (home) => ({ node_uuid: home }) },
    ports: { rows: port, body: (home, n) => ({ node_uuid: home, address: `52:54:00:00:00:0${n}` }) },
    chassis: { rows: chassis, body: () => ({}) },
    allocations: { rows: allocation, body: () => ({ resource_class: 'big' }) },
    'volume/connectors': {
      rows: volumeConnector,
      body: (home, n) => ({ node_uuid: home, type: 'ip', connector_id: `10.0.0.${n}` }),
    },
    'volume/targets': {
      rows: volumeTarget,
      body: (home, n) => ({ node_uuid: home, volume_type: 'iscsi', volume_id: 'v', boot_index: n }),
    },
    deploy_templates: {
      rows: deployTemplate,
      body: (_home, n) => ({
        name: `CUSTOM_T${n}`,
        steps: [{ interface: 'deploy', step: 's', args: {}, priority: 50 }],
      }),
    },
    runbooks: {
      rows: runbook,
      body: (_home, n) => ({ name: `CUSTOM_R${n}`, steps: [{ interface: 'deploy', step: 's', args: {}, order: 1 }] }),
    },
    inspection_rules: {
      rows: inspectionRule,
      body: () => ({ actions: [{ op: 'fail', args: { msg: 'no' } }] }),
    },
  };
const collections = Object.keys(tables);

const added = {
  sample: { access: 'update', schema: json, default: {}, masked: ['url'], state: true, doc: 'Holds secrets.' },
  closed: {
    access: 'update',
    schema: z.string(),
    withheld: { notice: 'not for you' },
    state: true,
    doc: 'Seen by nobody.',
  },
  for_admins: { access: 'update', schema: z.string(), rule: 'baremetal:events:post', doc: 'Changed by admins.' },
  for_owners: {
    access: 'update',
    schema: z.string(),
    rule: 'baremetal:node:delete:self_owned_node',
    doc: 'Changed by the admins of a project.',
  },
  tint: { access: 'update', since: 50, schema: z.string(), filter: true, doc: 'Lists are filtered by it.' },
  hue: { access: 'update', schema: z.enum(['red', 'blue']), filter: { since: 70 }, index: true, doc: 'So by it.' },
} as const satisfies Record<string, Field>;
for (const { rows } of Object.values(tables)) Object.assign(rows, added);

const { createFront } = await import('./front.ts');
const { routes } = await import('../../../functions/baremetal-api/routes.ts');

const secret = { url: 'HUNTER2', password: 'HUNTER2', deep: [{ token: 'HUNTER2', a: 1 }], plain: 1 };
const masked = { url: '******', password: '******', deep: [{ token: '******', a: 1 }], plain: 1 };
const given = { sample: secret, closed: 'HUNTER2', tint: 'warm', hue: 'red' };
const shown = { sample: masked, closed: 'not for you' };

const front = createFront();
const uuids: Record<string, string> = {};
const answers: Record<string, { readonly status: number; readonly body: Record<string, unknown> }> = {};

beforeAll(async () => {
  for (const [collection, { body }] of Object.entries(tables)) {
    const home = uuids['nodes'] ?? '';
    const group = collection === 'ports' ? { portgroup_uuid: uuids['portgroups'] } : {};
    const line = `POST /v1/${collection}`;
    answers[collection] = await front.request(line, { body: { ...body(home, 1), ...group, ...given } });
    uuids[collection] = answers[collection].body['uuid'] as string;
  }
  await front.force(uuids['nodes']!, {
    allocation_uuid: uuids['allocations']!,
    chassis_uuid: uuids['chassis']!,
    power_state: 'power off',
  });
});

/** Every value under this name in an answer. */
const found = (body: unknown, name: string): unknown[] => {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([key, value]) => (key === name ? [value] : found(value, name)));
};

/** The path of a route with the record's UUID in place of what names it. */
const lineOf = (at: string): string =>
  at.replace(/\/v1\/([\w/]+)\/\{\w+\}/, (_, name: string) => `/v1/${name}/${uuids[name]}`);

const reads = routes.filter(
  ({ at, answers: told }) => at.startsWith('GET ') && told && Object.hasOwn(told.rows, 'sample'),
);
/** The ways in which a route may be asked for all that it shows. */
const ways = reads.flatMap(({ at, query = {} }) => [
  ...(Object.hasOwn(query, 'fields') ? [[at, '?fields=sample,closed'] as const] : []),
  ...(Object.hasOwn(query, 'detail') ? [[at, '?detail=true'] as const] : []),
  ...(!Object.hasOwn(query, 'detail') ? [[at, ''] as const] : []),
]);

describe('a masked field and a withheld one', () => {
  it('are looked for in every table', () => {
    for (const collection of collections) {
      expect(reads.map(({ at }) => at)).toContain(`GET /v1/${collection}`);
    }
    expect(ways.length).toBeGreaterThan(50);
  });

  it.each(collections)('are in the answer to a POST of %s as they are shown', (collection) => {
    expect(answers[collection]).toMatchObject({ status: 201, body: shown });
  });

  it.each(ways)('show nothing at %s%s', async (at, query) => {
    const { status, body } = await front.request(lineOf(at) + query);
    expect(status).toBe(200);
    expect([found(body, 'sample'), found(body, 'closed')]).toEqual([[masked], ['not for you']]);
    expect(JSON.stringify(body)).not.toContain('HUNTER2');
  });

  it.each(collections)('are in the answer to a PATCH of %s, and a mask leaves the secret as it was', async (name) => {
    const line = `PATCH /v1/${name}/${uuids[name]}`;
    const stored = () => front.platform.table.items().find((item) => item['uuid'] === uuids[name] && item['sample']);
    const patch = [{ op: 'add', path: '/sample', value: { ...masked, plain: 2 } }];
    const { status, body } = await front.request(line, { body: patch });
    expect([status, body.sample, body.closed]).toEqual([200, { ...masked, plain: 2 }, 'not for you']);
    expect(stored()!['sample']).toEqual({ ...secret, plain: 2 });
    const nothing = [{ op: 'add', path: '/sample/other_password', value: '******' }];
    expect((await front.request(line, { body: nothing })).status).toBe(400);
    await front.request(line, { body: [{ op: 'add', path: '/sample/plain', value: 1 }] });
  });
});

it.each(collections)(
  'a field of %s with a rule of its own is changed by whoever passes that rule only',
  async (name) => {
    const patch = async (field: string) =>
      front.request(`PATCH /v1/${name}/${uuids[name]}`, { body: [{ op: 'add', path: `/${field}`, value: 'x' }] });
    const refused = await patch('for_owners');
    expect([refused.status, refused.error]).toEqual([403, expect.stringContaining('delete:self_owned_node')]);
    expect(await patch('for_admins')).toMatchObject({ status: 200, body: { for_admins: 'x', for_owners: null } });
  },
);

describe.each(collections)('a list of %s is filtered', (name) => {
  const list = async (query: string, version = 'latest') => {
    const { status, body } = await front.request(`GET /v1/${name}?${query}`, { version });
    const records = status === 200 ? (body[name.split('/').at(-1)!] as { uuid: string }[]) : [];
    return [status, ...records.map(({ uuid }) => uuid)];
  };

  /** A second record, which would come first by each of its values. */
  const add = async () => {
    const values = { ...tables[name]!.body(uuids['nodes']!, 2), hue: 'blue', closed: 'AHEAD' };
    const { status, body } = await front.request(`POST /v1/${name}`, { body: values });
    expect(status).toBe(201);
    return body.uuid as string;
  };

  it('by a field that says so, since its version', async () => {
    expect(await list('tint=warm')).toEqual([200, uuids[name]]);
    expect(await list('tint=cold')).toEqual([200]);
    expect(await list('tint=warm&hue=blue')).toEqual([200]);
    const early = ['tint=warm', 'hue=red'].map(async (query) => (await list(query, '1.49'))[0]);
    expect((await Promise.all(early)).every((status) => status === 406 || status === 404)).toBe(true);
  });

  it('by its index, without reading what it does not keep', async () => {
    const other = await add();
    const { table } = front.platform;
    const { query, getMany } = table;
    const entries: unknown[] = [];
    const read: unknown[] = [];
    table.query = async (asked) => {
      const items = await query(asked);
      entries.push(...items.map(({ pk }) => pk.split('#').slice(2, 4)));
      return items;
    };
    table.getMany = async (keys, options) => {
      const items = await getMany(keys, options);
      read.push(...items.flatMap((item) => (item && 'hue' in item ? [item['hue']] : [])));
      return items;
    };
    expect(await list('hue=red')).toEqual([200, uuids[name]]);
    Object.assign(table, { query, getMany });
    expect([entries, read]).toEqual([[['hue', 'red']], ['red']]);
    await front.request(`DELETE /v1/${name}/${other}`);
  });

  it('and sorted, but not by what is withheld', async () => {
    const other = await add();
    const order = async (query: string) => list(`sort_key=${query}`);
    expect(await order('hue')).toEqual([200, other, uuids[name]]);
    for (const query of ['closed', 'closed&sort_dir=desc']) {
      expect(await order(query)).toEqual([200, uuids[name], other]);
    }
    await front.request(`DELETE /v1/${name}/${other}`);
  });

  it('by what the field takes, and by nothing else', async () => {
    expect(await list('hue=red')).toEqual([200, uuids[name]]);
    expect(await list('hue=green')).toEqual([400]);
  });
});
