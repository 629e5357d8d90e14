/** What belongs to one project is for others as if it were not there, wherever it is named: in paths, bodies and queries. */
import { beforeAll, describe, expect, it } from 'vitest';

import { createAsker } from './access.ts';
import { ann, bob, personas } from './personas.ts';
import { type Api, apiNames, apis, nowhere, type World } from './world.ts';

const strangers = personas.filter(([name]) => ['blue member', 'blue reader', 'member of no project'].includes(name));

/** Names of projects and of what is everybody's are no secret. */
const known = new Set(['tenant_id', 'project_id', 'alias']);

const namesOne = (at: string) => known.has(/\{(\w+)\}/.exec(at)?.[1] ?? 'alias');
const routesWithId = apiNames.flatMap((api) =>
  apis[api].filter(({ at }) => !namesOne(at)).map(({ at }) => [api, at as string] as const),
);

let asker: Awaited<ReturnType<typeof createAsker>>;
beforeAll(async () => {
  asker = await createAsker();
});

const said = ({ status, text }: { status: number; text: string }) => [status, asker.plain(text)];

describe('what is not theirs', () => {
  it.each(routesWithId)('is for strangers as if it were not there: %s %s', async (api, at) => {
    const keys = asker.keys(api).filter((key) => key.split('#')[0] === at);
    expect(keys).not.toEqual([]);
    for (const key of keys) {
      for (const [name, subject] of strangers) {
        const [there, not] = [
          await asker.send(api, key, subject),
          await asker.send(api, key, subject, { first: nowhere }),
        ];
        expect([key, name, ...said(there)]).toEqual([key, name, ...said(not)]);
        expect([403, 404]).toContain(there.status);
      }
    }
  });
});

type Make = (id: string, world: World) => object;
const server =
  (given: (id: string) => object, beside: (id: string) => object = () => ({})): Make =>
  (id, { open: { flavor, image } }) => ({
    server: { name: 'x', flavorRef: flavor, imageRef: image, networks: 'none', ...given(id) },
    ...beside(id),
  });

/** Requests that name something of ann's in their bodies, by what they name. */
const bodies: readonly (readonly [api: Api, line: string, names: string, make: Make])[] = [
  ['compute', 'POST /v2.1/servers', 'flavor_id', server((flavorRef) => ({ flavorRef }))],
  ['compute', 'POST /v2.1/servers', 'image_id', server((imageRef) => ({ imageRef }))],
  ['compute', 'POST /v2.1/servers', 'keypair_name', server((key_name) => ({ key_name }))],
  ['compute', 'POST /v2.1/servers', 'network_id', server((uuid) => ({ networks: [{ uuid }] }))],
  ['compute', 'POST /v2.1/servers', 'port_id', server((port) => ({ networks: [{ port }] }))],
  [
    'compute',
    'POST /v2.1/servers',
    'server_group_id',
    server(
      () => ({}),
      (group) => ({ 'os:scheduler_hints': { group } }),
    ),
  ],
  [
    'network',
    'POST /v2.0/subnets',
    'network_id',
    (network_id) => ({ subnet: { network_id, ip_version: 4, cidr: '10.7.0.0/24' } }),
  ],
  ['network', 'POST /v2.0/ports', 'network_id', (network_id) => ({ port: { network_id } })],
  ['network', 'POST /v2.0/floatingips', 'network_id', (id) => ({ floatingip: { floating_network_id: id } })],
  [
    'network',
    'POST /v2.0/floatingips',
    'port_id',
    (port_id, { external }) => ({ floatingip: { floating_network_id: external, port_id } }),
  ],
];

const idOf = (names: string): string =>
  ({ ...asker.ids.compute, ...asker.ids.image, network_id: asker.network_id })[names]!;

describe('what is not theirs, named in a body,', () => {
  it.each(bodies)('is as if it were not there: %s %s with %s', async (api, line, names, make) => {
    const send = async (id: string, subject = bob) => asker.ask(api, line, { subject, body: make(id, asker) });
    const [there, not] = [await send(idOf(names)), await send(nowhere)];
    expect(said(there)).toEqual(said(not));
    expect([400, 404]).toContain(there.status);
    // Whose it is, is told something else.
    expect(said(await send(idOf(names), ann))).not.toEqual(said(not));
  });
});

/** Lists, with what of ann's a query may name. */
const queries: readonly (readonly [api: Api, line: string, names: string])[] = [
  ['compute', 'GET /v2.1/servers?marker=', 'server_id'],
  ['compute', 'GET /v2.1/servers/detail?marker=', 'server_id'],
  ['compute', 'GET /v2.1/servers?uuid=', 'server_id'],
  ['compute', 'GET /v2.1/servers?image=', 'image_id'],
  ['compute', 'GET /v2.1/servers?flavor=', 'flavor_id'],
  ['compute', 'GET /v2.1/flavors?marker=', 'flavor_id'],
  ['compute', 'GET /v2.1/flavors/detail?is_public=None&marker=', 'flavor_id'],
  ['compute', 'GET /v2.1/os-keypairs?marker=', 'keypair_name'],
  ['image', 'GET /v2/images?marker=', 'image_id'],
  ['image', 'GET /v2/images?id=', 'image_id'],
  ['network', 'GET /v2.0/networks?marker=', 'network_id'],
  ['network', 'GET /v2.0/networks?id=', 'network_id'],
  ['network', 'GET /v2.0/subnets?network_id=', 'network_id'],
  ['network', 'GET /v2.0/ports?marker=', 'port_id'],
  ['network', 'GET /v2.0/ports?id=', 'port_id'],
  ['network', 'GET /v2.0/ports?device_id=', 'server_id'],
  ['network', 'GET /v2.0/floatingips?port_id=', 'port_id'],
];

describe('what is not theirs, named in a query,', () => {
  it.each(queries)('is as if it were not there: %s %s%s', async (api, line, names) => {
    const send = async (id: string) => asker.ask(api, `${line}${id}`, { subject: bob });
    expect(said(await send(idOf(names)))).toEqual(said(await send(nowhere)));
  });
});
