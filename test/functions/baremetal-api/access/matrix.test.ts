/** Every route of the API and every persona, through the front door, against the table of operations.ts. */
import { beforeAll, describe, expect, it } from 'vitest';

import { routes } from '../../../../functions/baremetal-api/routes.ts';
import { Conflict } from '../../../../layers/domain/fault.ts';
import { createFront, type Reply } from '../front.ts';
import { operations, patches } from './operations.ts';
import { lettersOf, personas, type Persona } from './personas.ts';

const front = createFront();
const uuidOf: Record<string, string> = {};

const home = { node_uuid: '' };
const steps = [{ interface: 'bios', step: 'factory_reset', args: {} }];

/** One of each, in this order; of collections that are routed. */
const firsts: readonly (readonly [string, () => object])[] = [
  ['chassis', () => ({})],
  ['nodes', () => ({ driver: 'fake-hardware', owner: 'owner', lessee: 'lessee' })],
  ['portgroups', () => ({ ...home })],
  ['ports', () => ({ ...home, address: '52:54:00:00:00:01' })],
  ['volume/connectors', () => ({ ...home, type: 'ip', connector_id: 'c1' })],
  ['volume/targets', () => ({ ...home, volume_type: 'iscsi', volume_id: 'v1', boot_index: 0 })],
  ['allocations', () => ({ resource_class: 'none', owner: 'owner' })],
  ['deploy_templates', () => ({ name: 'CUSTOM_T', steps: [{ ...steps[0], priority: 1 }] })],
  ['runbooks', () => ({ name: 'CUSTOM_R', steps: [{ ...steps[0], order: 1 }], owner: 'owner' })],
  ['inspection_rules', () => ({ actions: [{ op: 'set-attribute', args: { path: 'extra/a', value: '1' } }] })],
];

/** Bodies of requests that are decided upon by what they name. */
const bodies: Readonly<Record<string, () => object>> = {
  'POST /v1/nodes': () => ({ driver: 'fake-hardware' }),
  'POST /v1/ports': () => ({ ...home, address: '52:54:00:00:00:02' }),
  'POST /v1/portgroups': () => ({ ...home }),
  'POST /v1/volume/connectors': () => ({ ...home, type: 'ip', connector_id: 'c2' }),
  'POST /v1/volume/targets': () => ({ ...home, volume_type: 'iscsi', volume_id: 'v2', boot_index: 1 }),
  'PATCH /v1/nodes/{ident}': () => [{ op: 'add', path: '/extra/a', value: 1 }],
};

const others: Readonly<Record<string, string>> = {
  '{name}': 'fake-hardware',
  '{driver}': 'fake-hardware',
  '{hostname}': 'ingot',
};

/** The path of a route with the idents of what is there, and the first of them. */
const pathOf = (path: string) => {
  const idents: string[] = [];
  const filled = path.replace(/(?<=^\/v1\/(.*?)\/)\{\w+\}|\{\w+\}/g, (param, collection: string | undefined) => {
    const known = (collection !== undefined && uuidOf[collection]) || others[param];
    const ident = idents.length === 0 ? known : 'x@y';
    if (ident === undefined) throw new Error(`There is no ${param} for ${path}: add one to "firsts".`);
    idents.push(ident);
    return ident;
  });
  return {
    path: filled === '/v1/nodes/validate' ? `${filled}?node_uuid=${uuidOf['nodes']}` : filled,
    ident: idents[0],
  };
};

/** What an answer says of access, as in operations.ts. */
const letterOf = ({ status, error }: Reply, ident = ''): string => {
  if (status === 403) return 'F';
  if (status === 404 && (ident === '' || error.endsWith(` ${ident} could not be found.`))) return '4';
  return status === 401 || status >= 500 ? `${status} ${error}` : 'y';
};

const ask = async (at: string, subject: Persona, body = bodies[at]?.()): Promise<string> => {
  const [method, pattern] = at.split(' ') as [string, string];
  const { path, ident } = pathOf(pattern);
  const needs = method === 'GET' || method === 'DELETE' ? undefined : (body ?? []);
  return letterOf(await front.request(`${method} ${path}`, { subject, body: needs }), ident ?? uuidOf['nodes']);
};

const guarded = routes.filter(({ policy }) => policy !== 'public').map(({ at }) => at as string);

beforeAll(async () => {
  for (const [collection, body] of firsts) {
    if (!guarded.includes(`POST /v1/${collection}`)) continue;
    const { status, body: made, error } = await front.request(`POST /v1/${collection}`, { body: body() });
    if (status !== 201) throw new Error(`${collection}: ${error}`);
    uuidOf[collection] = made.uuid;
    if (collection === 'nodes') home.node_uuid = made.uuid;
  }
  if (uuidOf['allocations']) await front.force(home.node_uuid, { allocation_uuid: uuidOf['allocations'] });
  // Nobody changes anything for those who come after: who is let through is refused by the table or the machine.
  front.platform.functions.handlers['workflow'] = () => ({
    is: 'refusal',
    name: 'NodeLocked',
    code: 409,
    message: 'No machine is asked in this test.',
  });
  front.platform.table.onWrite = () => {
    throw Conflict('Nothing is written in this test.');
  };
});

/** Rows name parameters as they like. */
const plain = (at: string) => at.replace(/\{\w+\}/g, '{}');
const routeOf = new Map(guarded.map((at) => [plain(at), at]));
const rows = operations.flatMap(([what, outcome, ats]) => ats.map((at) => [plain(at), what, outcome] as const));

describe('who may do what', () => {
  it.each(rows.filter(([at]) => routeOf.has(at)))('%s (%s) is %s', async (at, _what, outcome) => {
    const route = routeOf.get(at)!;
    const answers = await Promise.all(personas.map(async ([name, subject]) => [name, await ask(route, subject)]));
    expect(answers).toEqual(lettersOf(outcome).map((letter, column) => [personas[column]![0], letter]));
  });

  it.each(
    patches.flatMap(([fields, outcome]) =>
      Object.entries(fields).map(([name, value]) => [name, value, outcome] as const),
    ),
  )('PATCH of %s to %j is %s', async (name, value, outcome) => {
    const body = [value === null ? { op: 'remove', path: `/${name}` } : { op: 'add', path: `/${name}`, value }];
    const at = 'PATCH /v1/nodes/{ident}';
    const answers = await Promise.all(personas.map(async ([who, subject]) => [who, await ask(at, subject, body)]));
    expect(answers).toEqual(lettersOf(outcome).map((letter, column) => [personas[column]![0], letter]));
  });

  it('is written down for every route, once', () => {
    const written = rows.map(([at]) => at);
    expect(guarded.filter((at) => !written.includes(plain(at)))).toEqual([]);
    expect(written.filter((at, place) => written.indexOf(at) !== place)).toEqual([]);
  });
});
