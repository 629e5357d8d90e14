/**
 * Every row of the table of routes, whatever stands in its path, query, headers and body: an answer in Ironic's form,
 * never a 500, and nothing stored or started by what was refused. A new route is in it by itself.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Route } from '../../../functions/baremetal-api/route.ts';
import { routes } from '../../../functions/baremetal-api/routes.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { hostile } from '../../fakes/hostile.ts';
import { createFront } from './front.ts';

const home = '44444444-4444-4444-8444-444444444444';
const chassis = '33333333-3333-4333-8333-333333333333';

const odd = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '%',
  '%00',
  '',
  ' ',
  '-1',
  '0',
  '1e999',
  '99999999999999999999',
  'NaN',
  'null',
  'true',
  '[]',
  '{}',
  'x'.repeat(5000),
  '\u202e\u{1f4a9}',
  'upload:00000000000000000000000000',
];
/** What finds something, by the parameter of the path; a row's first parameter mostly does. */
const real: Readonly<Record<string, readonly string[]>> = {
  ident: ['n1', home, 'bond0'],
  uuid: [chassis],
  driver: ['fake-hardware', 'redfish'],
  hostname: ['ingot'],
};
const anywhere = ['n1', home, chassis, 'bond0', 'redfish', 'CUSTOM_A', 'system', 'BootMode', '1', 'uuid', 'asc'];
const word = fc.oneof(fc.constantFrom(...anywhere), fc.constantFrom(...odd), fc.string());

const values = fc.oneof(
  word,
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(1e308, -0, Number.MAX_SAFE_INTEGER + 2, [], {}, null, [null], [[]], { __proto__: null, a: '\u0000' }),
  fc.constantFrom(...hostile),
);

/** What is sent as it is, instead of an object. */
const texts = [
  '{"__proto__": {"x": 1}}',
  '{"constructor": {"prototype": {"x": 1}}}',
  '{"name": "a", "name": {"b": 1}, "target": "manage", "target": 7}',
  '{"name": 1e999}',
  '{"a": -1e-999, "b": 123456789012345678901234567890}',
  '["a"',
  '{"a": "\u0000"}',
  '"text"',
  'null',
  '[[[[]]]]',
  `${'['.repeat(30)}${']'.repeat(30)}`,
  `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`,
  '['.repeat(200_000),
  '\ufeff{}',
];
const bytes = [Uint8Array.of(0xff, 0xfe), Uint8Array.of(0x22, 0xc3, 0x28, 0x22), Uint8Array.of(0), new Uint8Array(0)];

/** The keys that a row's schema names, if it is an object. */
const keysOf = ({ body }: Route): string[] => {
  const { shape } = (body ?? {}) as { shape?: object };
  return Object.keys(shape ?? {});
};

const common = ['name', 'uuid', 'node_uuid', 'driver', 'extra', 'properties', 'address', 'target', '__proto__', 'x'];

const step = { interface: 'deploy', step: 'a', args: {}, order: 1, priority: 10 };

/** Values that get a body past its form, by key; other keys get anything. */
const plausible: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  address: fc.constantFrom('52:54:00:00:00:01', '52:54:00:00:00:02'),
  boot_device: fc.constantFrom('pxe', 'disk', 'cdrom'),
  driver: fc.constantFrom('fake-hardware', 'redfish'),
  name: fc.constantFrom('CUSTOM_A', 'fresh', 'n1'),
  node_uuid: fc.constantFrom(home, 'n1'),
  resource_class: fc.constantFrom('x', 'y'),
  steps: fc.constantFrom([step], [step, step], [{ ...step, order: '1' }], [{}]),
  clean_steps: fc.constantFrom([step], [{ ...step, priority: -1 }], [{}]),
  target: fc.constantFrom('manage', 'active', 'clean', 'inspect', 'abort', 'power on', 'rebooting', 'uefi', 'on', true),
  timeout: fc.constantFrom(1, 0, -1, '5', 1e9),
  traits: fc.constantFrom(['CUSTOM_A'], ['CUSTOM_A', 'a'], []),
};

const fieldOf = (key: string) =>
  fc.tuple(
    fc.constant(key),
    fc.oneof({ weight: 4, arbitrary: Object.hasOwn(plausible, key) ? plausible[key]! : values }, values),
  );

const objectOf = (keys: readonly string[]) =>
  fc
    .uniqueArray(fc.constantFrom(...keys).chain(fieldOf), { maxLength: 5, selector: ([key]) => key })
    .map((entries) => Object.fromEntries(entries));

const patch = fc.array(
  fc.record(
    {
      op: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('add', 'replace', 'remove') }, values),
      path: fc.oneof(
        fc.constantFrom('/name', '/extra/a', '/extra', '/properties/x/y', '/uuid'),
        word.map((text) => `/${text}`),
      ),
      value: values,
    },
    { requiredKeys: ['op', 'path'] },
  ),
  { maxLength: 3 },
);

const bodyOf = (route: Route) =>
  fc.oneof(
    { weight: 6, arbitrary: objectOf(keysOf(route).length > 0 ? keysOf(route) : Object.keys(plausible)) },
    { weight: route.at.startsWith('PATCH') ? 12 : 1, arbitrary: patch },
    objectOf([...keysOf(route), ...common]),
    values,
    fc.constantFrom(...texts, ...bytes),
  );

const queryOf = ({ query = {} }: Route) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(fc.tuple(fc.constantFrom(...Object.keys(query), 'limit', 'fields', '__proto__', 'x'), word), {
      maxLength: 3,
    }),
  );

const strangeHeaders = fc.record(
  {
    'Content-Type': fc.constantFrom('application/json', 'text/plain', 'multipart/form-data', 'x/\u0000', '', 'a'),
    Accept: fc.constantFrom('*/*', 'text/html', 'application/json;q=0', ',,', ''),
    'OpenStack-API-Version': fc.constantFrom('baremetal 1.50', 'baremetal', 'compute 2.1', 'baremetal 1.9999', ','),
    'X-Forwarded-Proto': word,
  },
  { requiredKeys: [] },
);
const headers = fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, strangeHeaders);

const version = fc.oneof(
  { weight: 12, arbitrary: fc.constant('latest') },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 115 }).map((n) => `1.${n}`) },
  fc.constantFrom('1', '1.', '2.0', '1.-1', '1.1e9', '\u0000', '1.99999999999999999999', '__proto__'),
);

/** A front of its own for each row, because deleting is among them; it counts what is stored and started. */
const createSeeded = async () => {
  const platform = createMemoryPlatform();
  const done = { count: 0 };
  const counted =
    <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await act(...args);
      done.count += 1;
      return result;
    };
  const table = { ...platform.table, write: counted(platform.table.write) };
  const workflows = { ...platform.workflows, start: counted(platform.workflows.start) };
  const front = createFront({}, { ...platform, table, workflows });
  await front.enrol({ uuid: home, name: 'n1', resource_class: 'x', extra: { a: { b: [1] } } });
  // All by the same UUID, which each kind has for itself, so that one name finds whatever a row looks for.
  const of = { uuid: home, node_uuid: home };
  const records = [
    ['portgroups', { ...of, name: 'bond0' }],
    ['ports', { ...of, address: '52:54:00:00:00:07' }],
    ['chassis', { uuid: chassis }],
    ['volume/connectors', { ...of, type: 'ip', connector_id: 'a' }],
    ['volume/targets', { ...of, volume_type: 'iscsi', volume_id: 'v', boot_index: 0 }],
  ] as const;
  for (const [collection, body] of records) {
    const { status, error } = await front.request(`POST /v1/${collection}`, { body });
    if (status !== 201) throw new Error(`${collection}: ${error}`);
  }
  await front.request('PUT /v1/nodes/n1/traits', { body: { traits: ['CUSTOM_A'] } });
  done.count = 0;
  return { front, done };
};

/** For the parameters of a path, in order: mostly the first finds something. */
const namesOf = ({ at }: Route) => {
  const params = [...at.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!);
  return fc.tuple(
    ...params.map((param) => fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...(real[param] ?? anywhere)) }, word)),
  );
};

// WHATWG URLs drop '..', which clients can send all the same.
const encode = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');

const lineOf = ({ at }: Route, names: readonly string[], query: readonly (readonly [string, string])[]): string => {
  const left = [...names];
  const path = at.replace(/\{\w+\}/g, () => encode(left.shift()!));
  const pairs = query.map(([key, value]) => [key, value] as [string, string]);
  return pairs.length === 0 ? path : `${path}?${String(new URLSearchParams(pairs))}`;
};

const runs = Number(process.env['INGOT_FUZZ_RUNS'] ?? 60);

describe('whatever is sent', () => {
  it.each(routes.map((route) => [route.at, route] as const))('%s answers it', async (_at, route) => {
    const { front, done } = await createSeeded();
    const request = fc.tuple(namesOf(route), queryOf(route), headers, version);
    const hasBody = /^(POST|PUT|PATCH|DELETE)/.test(route.at);
    await fc.assert(
      fc.asyncProperty(request, bodyOf(route), async ([names, query, given, at], body) => {
        const before = done.count;
        const line = lineOf(route, names, query);
        const answer = await front.request(line, { headers: given, version: at, ...(hasBody && { body }) });
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) return;
        expect({ error: answer.error, done: done.count }).toEqual({ error: expect.stringMatching(/./), done: before });
      }),
      { numRuns: runs },
    );
  });
});
