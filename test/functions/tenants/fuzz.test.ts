/**
 * Every route of the APIs for tenants, whatever stands in its path, query, headers and body: an answer in the form of its
 * protocol, never a failure of ours, and nothing stored or started by what was refused. A new route is in it by itself.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { flavor } from '../../../layers/domain/compute/flavor.ts';
import { keyPair } from '../../../layers/domain/compute/key-pair.ts';
import { newServer } from '../../../layers/domain/compute/new-server.ts';
import { quotas } from '../../../layers/domain/compute/quota.ts';
import { serverGroup } from '../../../layers/domain/compute/server-group.ts';
import { wireName } from '../../../layers/domain/fields.ts';
import { image } from '../../../layers/domain/image/image.ts';
import { floatingIp } from '../../../layers/domain/network/floating-ip.ts';
import { network } from '../../../layers/domain/network/network.ts';
import { port } from '../../../layers/domain/network/port.ts';
import { subnet } from '../../../layers/domain/network/subnet.ts';
import type { QueryTable } from '../../../layers/http/route.ts';
import type { Answered } from '../../fakes/http.ts';
import { hostile } from '../../fakes/hostile.ts';
import { sentTo } from './asking.ts';
import { ann, bob, root } from './personas.ts';
import { type Api, apiNames, apis, createWorld, type World } from './world.ts';

type Row = { readonly at: string; readonly until?: number; readonly query?: QueryTable };

const odd = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  '__proto__',
  'constructor',
  'toString',
  '..',
  '%',
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
  'x'.repeat(5000),
  '\u202e\u{1f4a9}',
  '(a+)+$',
  '[',
];
const plain = [
  'red',
  'blue',
  'a',
  'nova',
  'ACTIVE',
  'name',
  'asc',
  '10.0.0.7',
  '10.0.0.0/24',
  '52:54:00:00:00:01',
  '1',
];
const word = fc.oneof(fc.constantFrom(...plain), fc.constantFrom(...odd), fc.string());

const tables = { flavor, keyPair, newServer, serverGroup, image, network, subnet, port, floatingIp };
const names = [
  ...Object.values(tables).flatMap((rows) => Object.entries(rows).map(([name, row]) => wireName(name, row))),
  ...Object.keys(quotas),
  'uuid',
  'port',
  'fixed_ip',
  'tag',
  'type',
  'state',
  'path',
  'contents',
  '__proto__',
  'constructor',
  'x',
];

const values = (world: World) =>
  fc.oneof(
    word,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(1e308, -0, 2 ** 53, 2 ** 31, 1, [], {}, null, [null], [[]], true, ...hostile),
    fc.constantFrom(...Object.values(world.ids).flatMap((ids) => Object.values(ids))),
  );

/** What is sent as it is, instead of an object. */
const texts = [
  '{"__proto__": {"x": 1}}',
  '{"server": {"name": "a", "name": {"b": 1}}}',
  '{"a": 1e999}',
  '["a"',
  '"text"',
  'null',
  `${'['.repeat(30)}${']'.repeat(30)}`,
  '['.repeat(200_000),
  '\ufeff{}',
];

type Container = Record<string, unknown> | unknown[];
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
const containersIn = (value: unknown): Container[] =>
  isContainer(value) ? [value, ...Object.values(value).flatMap(containersIn)] : [];

/** A change somewhere in a body: a value is replaced, or taken away, or there is one more. */
type Damage = {
  readonly where: number;
  readonly which: number;
  readonly how: 'set' | 'add' | 'drop';
  readonly name: string;
  readonly value: unknown;
};

const damaged = (body: unknown, damages: readonly Damage[]): unknown => {
  const copy = structuredClone(body);
  for (const { where, which, how, name, value: given } of damages) {
    // What is put in may be changed by the next.
    const value = structuredClone(given);
    const all = containersIn(copy);
    const one = all[where % Math.max(1, all.length)];
    if (one === undefined) continue;
    const keys = Object.keys(one);
    const key = how === 'add' ? name : keys[which % Math.max(1, keys.length)];
    if (Array.isArray(one)) one.push(value);
    else if (key !== undefined && how === 'drop') delete one[key];
    else if (key !== undefined)
      Object.defineProperty(one, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
};

const bodyOf = (world: World, bodies: readonly unknown[]) => {
  const damage = fc.record({
    where: fc.nat(20),
    which: fc.nat(20),
    how: fc.constantFrom('set', 'add', 'drop'),
    name: fc.constantFrom(...names),
    value: values(world),
  });
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc
        .tuple(fc.constantFrom(...bodies), fc.array(damage, { maxLength: 3 }))
        .map(([body, damages]) => damaged(body, damages)),
    },
    values(world),
    fc.constantFrom(...texts),
  );
};

const queryOf = (world: World, { query = {} }: Row) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(
      fc.tuple(
        fc.constantFrom(...Object.keys(query), 'limit', 'marker', 'fields', '__proto__', 'x'),
        fc.oneof(word, fc.constantFrom(...Object.values(world.ids).flatMap((ids) => Object.values(ids)))),
      ),
      { maxLength: 3 },
    ),
  );

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** These make another path of it, in whatever form they come. */
const astray = ['', '.', '..'];

/** In place of the parameters of a path, in order; undefined: what there is. */
const idsOf = ({ at }: Row) =>
  fc.tuple(
    ...[...at.matchAll(/\{\w+\}/g)].map(() =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        word.filter((text) => !astray.includes(text)),
      ),
    ),
  );

const lineOf = (
  world: World,
  api: Api,
  { at }: Row,
  given: readonly (string | undefined)[],
  query: readonly [string, string][],
) => {
  const left = [...given];
  const path = world.fill(api, at).split('/');
  const filled = at.split('/').map((segment, place) => {
    const wanted = segment.startsWith('{') ? left.shift() : undefined;
    return wanted === undefined ? path[place] : encode(wanted);
  });
  return `${filled.join('/')}${query.length === 0 ? '' : `?${String(new URLSearchParams(query))}`}`;
};

/** What the bodies of a route are, undamaged. */
const bodiesOf = (world: World, api: Api, { at }: Row): unknown[] => {
  const sent = Object.entries(sentTo(world)[api]).filter(
    ([key, { body }]) => key.split('#')[0] === at && body !== undefined,
  );
  return sent.length === 0 ? [{}] : sent.map(([, { body }]) => body);
};

/** What an error looks like in each protocol. */
const isRefusal: Readonly<Record<Api, (answer: Answered) => void>> = {
  compute: ({ body }) => {
    expect(Object.values(body as object)).toEqual([
      {
        code: expect.any(Number),
        message: expect.stringMatching(/./),
        ...(body.error && { title: expect.any(String) }),
      },
    ]);
  },
  image: ({ headers, text }) => {
    expect([headers['Content-Type'], text]).toEqual(['text/html; charset=UTF-8', expect.stringMatching(/<br \/>/)]);
  },
  network: ({ body }) => {
    expect(body.NeutronError).toMatchObject({
      type: expect.stringMatching(/^[A-Z]/),
      message: expect.stringMatching(/./),
    });
  },
};

const runs = Number(process.env['INGOT_FUZZ_RUNS'] ?? 40);

const rows = apiNames.flatMap((api) => (apis[api] as readonly Row[]).map((row) => [api, row.at, row] as const));

describe('whatever is sent', () => {
  it.each(rows)('to the %s API, %s answers it', async (api, at, row) => {
    const world = await createWorld();
    let done = 0;
    world.platform.table.onWritten = () => {
      done += 1;
    };
    const hasBody = !at.startsWith('GET');
    const version = fc.oneof(
      { weight: 4, arbitrary: fc.constant(row.until ?? 96) },
      fc.integer({ min: 1, max: row.until ?? 96 }),
    );
    const asked = fc.record({
      ids: idsOf(row),
      query: queryOf(world, row),
      body: bodyOf(world, bodiesOf(world, api, row)),
      version,
      subject: fc.constantFrom(ann, root, bob),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ ids, query, body, ...others }) => {
        const before = done;
        const answer = await world.ask(api, lineOf(world, api, row, ids, query), {
          ...others,
          ...(hasBody && { body }),
        });
        expect([answer.status < 500 || answer.status === 501, answer.text]).toEqual([true, answer.text]);
        if (answer.status < 400) return;
        isRefusal[api](answer);
        expect([answer.text, done]).toEqual([answer.text, before]);
      }),
      { numRuns: runs },
    );
  });
});
