/** Every row that a microversion brought, asked for one version before, at that version, and at the newest. */
import { describe, expect, it } from 'vitest';

import { MAX } from '../../../../layers/domain/versions.ts';
import { ironicEndpoints } from '../../../../scripts/ironic-endpoints.ts';
import { createFront } from '../front.ts';
import {
  abortSince,
  bodiesSince,
  detailed,
  fieldsSince,
  filtersSince,
  neverGated,
  notAllowedBefore,
  refusedBefore,
  patchOnly,
  values,
  verbsSince,
} from './reference.ts';

const ids = {
  node: '44444444-4444-4444-8444-444444444444',
  port: '55555555-5555-4555-8555-555555555555',
  portgroup: '66666666-6666-4666-8666-666666666666',
  rule: '77777777-7777-4777-8777-777777777777',
};

/** One of everything, on fakes. */
const furnish = async () => {
  const front = createFront();
  await front.enrol({ uuid: ids.node, name: 'n1', resource_class: 'c' });
  const rest: [string, object][] = [
    ['chassis', { uuid: '33333333-3333-4333-8333-333333333333' }],
    ['ports', { uuid: ids.port, name: 'p1', node_uuid: ids.node, address: '52:54:00:00:00:01' }],
    ['portgroups', { uuid: ids.portgroup, name: 'bond0', node_uuid: ids.node }],
    ['allocations', { name: 'a1', resource_class: 'c' }],
    ['deploy_templates', { name: 'CUSTOM_T', steps: [{ interface: 'bios', step: 'x', args: {}, priority: 1 }] }],
    ['runbooks', { name: 'CUSTOM_BOOK', steps: [{ interface: 'bios', step: 'x', order: 1 }] }],
    ['inspection_rules', { uuid: ids.rule, actions: [{ op: 'log', args: { msg: 'x' } }] }],
  ];
  for (const [collection, body] of rest) {
    const { status, error } = await front.request(`POST /v1/${collection}`, { body });
    if (status !== 201) throw new Error(`${collection}: ${status} ${error}`);
  }
  return front;
};

type Front = Awaited<ReturnType<typeof furnish>>;

const names: { readonly [collection: string]: string } = {
  nodes: 'n1',
  ports: ids.port,
  portgroups: 'bond0',
  allocations: 'a1',
  deploy_templates: 'CUSTOM_T',
  runbooks: 'CUSTOM_BOOK',
  inspection_rules: ids.rule,
  chassis: '33333333-3333-4333-8333-333333333333',
};

const fill = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    if (name === 'ident' || name === 'uuid') return names[path.split('/')[2]!] ?? ids.rule;
    return { driver: 'fake-hardware', hostname: 'ingot', trait: 'CUSTOM_X' }[name] ?? 'x';
  });

/** Whatever refuses a version says which one is needed. */
const isGate = (error: string) => /API version 1\.\d+/.test(error);

const pathsOf = (collection: string) => ironicEndpoints.filter(([, path]) => path.split('/')[2] === collection);

describe('a route', () => {
  const ramdisk = ['/v1/lookup', '/v1/heartbeat/{ident}', '/v1/continue_inspection'];
  const rows = ironicEndpoints
    .filter(([, path, since]) => since > 1 && !ramdisk.includes(path))
    .flatMap(([methods, path, since]) => methods.split(' ').map((method) => ({ method, path, since })));

  it.each(rows)('$method $path is there since 1.$since', async ({ method, path, since }) => {
    const front = await furnish();
    const line = `${method} ${fill(path)}`;
    // Sub-resources that came later (traits of runbooks) answer 404 like all others.
    const [, , collection, , part] = path.split('/');
    const strict = notAllowedBefore.includes(collection!) && part === undefined && method !== 'GET';
    const before = await front.request(line, { version: `1.${since - 1}` });
    const refused = refusedBefore.find((row) => path.startsWith(row.path))?.[method === 'GET' ? 'read' : 'write'];
    expect([before.status, isGate(before.error)]).toEqual([refused ?? (strict ? 405 : 404), true]);
    for (const version of [since, MAX]) {
      const { status, error } = await front.request(line, { version: `1.${version}` });
      expect([status === 405 || status === 406 || isGate(error), `${status} ${error}`]).toEqual([
        false,
        expect.anything(),
      ]);
    }
  });

  it('of every collection that the reference knows is among them', () => {
    for (const collection of notAllowedBefore) expect(pathsOf(collection).length).toBeGreaterThan(0);
  });
});

const needed: { readonly [collection: string]: object } = {
  nodes: { driver: 'fake-hardware' },
  ports: { node_uuid: ids.node, address: '52:54:00:00:00:02' },
  portgroups: { node_uuid: ids.node },
  allocations: { resource_class: 'c' },
  runbooks: { name: 'CUSTOM_OTHER', steps: [{ interface: 'bios', step: 'x', order: 1 }] },
};

/** What a field cannot be given without. */
const beside: { readonly [field: string]: object } = { retired_reason: { retired: true } };

/** Nothing of a collection is there before the collection itself. */
const born: { readonly [collection: string]: number } = { portgroups: 23, allocations: 52, runbooks: 92 };

const fieldRows = Object.entries(fieldsSince).flatMap(([collection, fields]) =>
  Object.entries(fields).map(([field, since]) => ({ collection, field, since })),
);
const given = fieldRows.filter(
  ({ collection, field }) => values[collection] && Object.hasOwn(values[collection], field),
);

describe('a field in an answer', () => {
  it.each(fieldRows)('$collection: $field is shown since 1.$since', async ({ collection, field, since }) => {
    const front = await furnish();
    const at = async (version: number) =>
      await front.request(
        `GET /v1/${collection}/${
          // Names came at 1.5 and, for ports, at 1.88.
          collection === 'nodes' ? ids.node : names[collection]
        }`,
        { version: `1.${version}` },
      );
    expect((await at(since)).body).toHaveProperty([field]);
    expect((await at(MAX)).body).toHaveProperty([field]);
    if (since - 1 >= (born[collection] ?? 1)) {
      // oxlint-disable-next-line vitest/no-conditional-expect -- there is no version before a collection's first
      expect((await at(since - 1)).body).not.toHaveProperty([field]);
    }
  });
});

const gatedFields = fieldRows.filter(({ collection, since }) => since > Math.max(8, born[collection] ?? 1));

describe('a field in fields= and sort_key=', () => {
  it.each(gatedFields)('$collection: $field is 406 before 1.$since', async ({ collection, field, since }) => {
    const front = await furnish();
    const ask = async (query: string, version: number) =>
      (await front.request(`GET /v1/${collection}?${query}`, { version: `1.${version}` })).status;
    expect(await ask(`fields=${field}`, since - 1)).toBe(406);
    expect(await ask(`fields=${field}`, since)).toBe(200);
    expect(await ask(`fields=${field}`, MAX)).toBe(200);
    // What has no order is 400 at any version, what has one is 406 before its own.
    const newest = await ask(`sort_key=${field}`, MAX);
    expect([200, 400]).toContain(newest);
    expect(await ask(`sort_key=${field}`, since)).toBe(newest);
    expect(await ask(`sort_key=${field}`, since - 1)).toBe(newest === 200 ? 406 : 400);
  });
});

const writes = given.filter(({ collection, since }) => since - 1 >= (born[collection] ?? 1));

describe('a field in the body of a POST', () => {
  it.each(writes)('$collection: $field is 406 before 1.$since', async ({ collection, field, since }) => {
    const ask = async (version: number) => {
      const body = { ...needed[collection], ...beside[field], [field]: values[collection]![field] };
      const { status, error } = await (
        await furnish()
      ).request(`POST /v1/${collection}`, { body, version: `1.${version}` });
      return [status, error];
    };
    expect((await ask(since - 1))[0]).toBe(406);
    expect(await ask(since)).toEqual([201, '']);
    expect(await ask(MAX)).toEqual([201, '']);
  });
});

const patched = [
  ...writes,
  ...Object.keys(patchOnly).map((field) => ({ collection: 'nodes', field, since: fieldsSince['nodes']![field]! })),
].filter(({ field, collection }) => !(collection === 'allocations' && field === 'owner'));

describe('a field in a PATCH', () => {
  it.each(patched)('$collection: $field is 406 before 1.$since', async ({ collection, field, since }) => {
    const value = { ...patchOnly, ...values[collection] }[field];
    const ask = async (version: number): Promise<number> => {
      const front = await furnish();
      const steps = Object.entries({ ...beside[field], [field]: value });
      const body = steps.map(([name, wanted]) => ({ op: 'add', path: `/${name}`, value: wanted }));
      const ident = collection === 'nodes' ? ids.node : names[collection];
      return (await front.request(`PATCH /v1/${collection}/${ident}`, { body, version: `1.${version}` })).status;
    };
    expect(await ask(since - 1)).toBe(406);
    expect(await ask(since)).toBe(200);
    expect(await ask(MAX)).toBe(200);
  });
});

describe('a filter', () => {
  const rows = Object.entries(filtersSince).flatMap(([path, filters]) =>
    Object.entries(filters).map(([name, [since, value]]) => ({ path, name, since, value })),
  );

  it.each(rows)('$path?$name= is 406 before 1.$since', async ({ path, name, since, value }) => {
    const front = await furnish();
    const ask = async (version: number) =>
      (await front.request(`GET ${path}?${name}=${encodeURIComponent(value)}`, { version: `1.${version}` })).status;
    expect([await ask(since - 1), await ask(since), await ask(MAX)]).toEqual([406, 200, 200]);
  });

  it.each(Object.entries(neverGated))('%s is there at every version', async (name, value) => {
    const front = await furnish();
    for (const version of [1, 50, MAX]) {
      expect((await front.request(`GET /v1/nodes?${name}=${value}`, { version: `1.${version}` })).status).toBe(200);
    }
  });

  it.each(detailed)('%s?detail= is 400 before 1.43', async (path) => {
    const front = await furnish();
    const ask = async (version: number) =>
      (await front.request(`GET ${path}?detail=true`, { version: `1.${version}` })).status;
    expect([await ask(42), await ask(43), await ask(MAX)]).toEqual([400, 200, 200]);
  });
});

const inState = async (front: Front, state: string) =>
  front.force(ids.node, {
    provision_state: state as never,
    target_provision_state: null,
    instance_info: { image_source: 'http://127.0.0.1/i', image_checksum: '0'.repeat(32) },
  });

describe('a verb', () => {
  const rows = Object.entries(verbsSince).map(([verb, [since, from, body = {}]]) => ({ verb, since, from, body }));

  it.each(rows)('$verb is 406 before 1.$since', async ({ verb, since, from, body }) => {
    const ask = async (version: number) => {
      const front = await furnish();
      await inState(front, from);
      const line = `PUT /v1/nodes/${ids.node}/states/provision`;
      return (await front.request(line, { body: { target: verb, ...body }, version: `1.${version}` })).status;
    };
    expect(await ask(since - 1)).toBe(406);
    for (const version of [since, MAX]) expect(await ask(version)).not.toBe(406);
  });

  it.each(Object.entries(abortSince))('abort from %s is 406 before 1.%i', async (from, since) => {
    const ask = async (version: number) => {
      const front = await furnish();
      await inState(front, from);
      const line = 'PUT /v1/nodes/n1/states/provision';
      return (await front.request(line, { body: { target: 'abort' }, version: `1.${version}` })).status;
    };
    expect([await ask(since - 1), await ask(since), await ask(MAX)]).toEqual([406, 202, 202]);
  });
});

describe('a key of a body', () => {
  it.each(bodiesSince)('$what is $before before 1.$since', async ({ since, before, line, from, body }) => {
    const ask = async (version: number) => {
      const front = await furnish();
      if (from) await inState(front, from);
      return front.request(line, { body, version: `1.${version}` });
    };
    expect((await ask(since - 1)).status).toBe(before);
    for (const version of [since, MAX]) {
      const { status, error } = await ask(version);
      expect([status === 406 || isGate(error), `${status} ${error}`]).toEqual([false, expect.anything()]);
    }
  });

  it('reset_interfaces is 406 before 1.45', async () => {
    const ask = async (version: number) => {
      const body = [{ op: 'replace', path: '/driver', value: 'fake-hardware' }];
      const line = `PATCH /v1/nodes/${ids.node}?reset_interfaces=true`;
      return (await (await furnish()).request(line, { body, version: `1.${version}` })).status;
    };
    expect([await ask(44), await ask(45), await ask(MAX)]).toEqual([406, 200, 200]);
  });
});

describe('a value that an older version did not know', () => {
  it.each([
    ['available', 2, null],
    ['inspect wait', 39, 'inspecting'],
  ] as const)('%s shows as it is since 1.%i, before as %s', async (state, since, was) => {
    const front = await furnish();
    await inState(front, state);
    const at = async (version: number) =>
      (await front.request(`GET /v1/nodes/${ids.node}`, { version: `1.${version}` })).body.provision_state;
    expect([await at(since - 1), await at(since), await at(MAX)]).toEqual([was, state, state]);
  });

  it('a new node is available before 1.11, and has to be enrolled since', async () => {
    const front = await furnish();
    const at = async (version: number) => {
      const { body } = await front.request('POST /v1/nodes', {
        body: { driver: 'fake-hardware' },
        version: `1.${version}`,
      });
      return body.provision_state;
    };
    expect([await at(10), await at(11), await at(MAX)]).toEqual(['available', 'enroll', 'enroll']);
  });
});
