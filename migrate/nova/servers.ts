/** Servers as Nova tells of them, by its API or in a file; nothing is ever written there. */
import * as z from 'zod';

import { Invalid } from '../../layers/domain/fault.ts';
import type { Service } from '../service.ts';
import { answered } from './answer.ts';

const amount = z.union([z.number(), z.literal('').transform(() => 0)]);

const address = z.object({
  addr: z.string(),
  version: z.union([z.literal(4), z.literal(6)]),
  'OS-EXT-IPS:type': z.enum(['fixed', 'floating']).default('fixed'),
  'OS-EXT-IPS-MAC:mac_addr': z.string().nullish(),
});

/** Up to 2.46 a server has the ID of its flavor, then a copy of it without. */
const flavorOfServer = z
  .object({
    id: z.string(),
    original_name: z.string(),
    vcpus: amount,
    ram: amount,
    disk: amount,
    ephemeral: amount,
    swap: amount,
    extra_specs: z.record(z.string(), z.string()),
  })
  .partial();

/** Absent is as good as null: what an older Nova does not tell, and what this caller does not see. */
const given = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? null);

/** As GET /servers/{id} shows one (compute-api.md 3). */
const server = z.object({
  id: z.string(),
  name: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  created: z.string(),
  flavor: flavorOfServer.default({}),
  addresses: z.record(z.string(), z.array(address)).default({}),
  'OS-EXT-SRV-ATTR:hypervisor_hostname': z.string().nullish(),
  'OS-EXT-STS:task_state': given(z.string()),
  status: given(z.string()),
  // A text for one that was booted from a volume.
  image: given(z.union([z.object({ id: z.string() }), z.literal('').transform(() => null)])),
  metadata: given(z.record(z.string(), z.string())),
  accessIPv4: given(z.string()),
  accessIPv6: given(z.string()),
  config_drive: given(z.string()),
  key_name: given(z.string()),
  security_groups: given(z.array(z.object({ name: z.string() }))),
  'OS-DCF:diskConfig': given(z.string()),
  'OS-SRV-USG:launched_at': given(z.string()),
  description: given(z.string()),
  tags: given(z.array(z.string())),
  locked: given(z.boolean()),
  'OS-EXT-SRV-ATTR:hostname': given(z.string()),
  'OS-EXT-SRV-ATTR:user_data': given(z.string()),
});

export type Server = z.output<typeof server>;

const flavor = z.object({
  id: z.string(),
  name: z.string(),
  vcpus: amount,
  ram: amount,
  disk: amount,
  swap: amount.default(0),
  'OS-FLV-EXT-DATA:ephemeral': amount.default(0),
  extra_specs: z.record(z.string(), z.string()).optional(),
});

export type Flavor = z.output<typeof flavor>;

/** Whether a server has a copy of this flavor, as far as it tells: another may have been made under the same name. */
export const isCopyOf = (own: Server['flavor'], one: Flavor): boolean =>
  one.name === own.original_name &&
  one.vcpus === own.vcpus &&
  one.ram === own.ram &&
  one.disk === own.disk &&
  one.swap === (own.swap ?? 0) &&
  one['OS-FLV-EXT-DATA:ephemeral'] === (own.ephemeral ?? 0);

/** A server that is shown as none of them is: what can be told of it. */
export type Odd = {
  readonly id: string;
  readonly name: string;
  readonly 'OS-EXT-SRV-ATTR:hypervisor_hostname': string | undefined;
  /** What is odd about it. */
  readonly flaw: string;
};

/** Where servers and flavors are looked up. */
export type Servers = {
  /** Undefined if there is none of this UUID. */
  find(uuid: string): Promise<Server | undefined>;
  /** All of all projects, page by page, the oldest first. */
  pages(): AsyncGenerator<readonly (Server | Odd)[]>;
  flavors(): Promise<readonly Flavor[]>;
};

const flawOf = (error: z.ZodError | undefined): string => {
  const { path = [], message = '' } = error?.issues[0] ?? {};
  return `not as Nova shows it: ${path.join('.')}: ${message}`;
};

const read = <T>(schema: z.ZodType<T>, value: unknown, what: string): T => {
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return data;
  throw Invalid(`${what} is ${flawOf(error)}.`);
};

const serversFile = z.object({
  servers: z.array(z.unknown()),
  servers_links: z.array(z.object({ rel: z.string() })).default([]),
});

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Of thousands one may be as nobody has thought of, and most likely it is a virtual machine. */
const readServer = (shown: unknown): Server | Odd => {
  const { data, error } = server.safeParse(shown);
  if (data) return data;
  const { id, name, 'OS-EXT-SRV-ATTR:hypervisor_hostname': node } = (shown ?? {}) as Readonly<Record<string, unknown>>;
  const about = { id: text(id) ?? '(no id)', name: text(name) ?? '(no name)', flaw: flawOf(error) };
  return { ...about, 'OS-EXT-SRV-ATTR:hypervisor_hostname': text(node) };
};

const isOdd = (one: Server | Odd): one is Odd => 'flaw' in one;
const flavorsFile = z.object({ flavors: z.array(flavor) });

/** Whoever saves an answer saves a page: the servers of the others would be lost without a word. */
const OnePage = () =>
  Invalid(
    'The file of servers has one page of several: ask for the others too (&marker=ID of the last one), put all into one list, or give the URL of Nova in place of a file.',
  );

/** Those of a file, which has what GET /servers/detail answers; `flavors`: what GET /flavors/detail answers. Throws Invalid. */
export const serversIn = (servers: unknown, flavors: unknown = { flavors: [] }): Servers => {
  const file = read(serversFile, servers, 'The file of servers');
  if (file.servers_links.some(({ rel }) => rel === 'next')) throw OnePage();
  const listed = file.servers.map(readServer);
  const odd = listed.filter(isOdd);
  const all = new Map(listed.flatMap((one) => (isOdd(one) ? [] : [[one.id, one] as const])));
  const known = read(flavorsFile, flavors, 'The file of flavors').flavors;
  return {
    find: async (uuid) => {
      const flawed = odd.find(({ id }) => id === uuid);
      if (flawed) throw Invalid(`Server ${uuid} is ${flawed.flaw}.`);
      return all.get(uuid);
    },
    flavors: async () => known,
    pages: async function* () {
      yield [...all.values()].toSorted((a, b) => (a.created < b.created ? -1 : Number(a.created > b.created)));
      if (odd.length > 0) yield odd;
    },
  };
};

/** The first one that copies the flavor into the server; older ones are asked as they are. */
const version = { 'OpenStack-API-Version': 'compute 2.47', 'X-OpenStack-Nova-API-Version': '2.47' };

const most = 1000;

/** Those of a running Nova. Throws Fault ComputeFailed for answers that are none. */
export const serversOf = (nova: Service): Servers => {
  let headers: Record<string, string> = version;
  const get = async (path: string) => {
    const reply = await nova('GET', path, { headers });
    if (reply.status !== 406 || headers !== version) return reply;
    headers = {};
    return nova('GET', path, { headers });
  };
  const bodyOf = async (path: string): Promise<unknown> => answered(await get(path), `GET ${path.split('?')[0]}`);

  const find: Servers['find'] = async (uuid) => {
    const path = `/servers/${uuid}`;
    const reply = await get(path);
    if (reply.status === 404) return undefined;
    return read(z.object({ server }), answered(reply, `GET ${path}`), `Server ${uuid}`).server;
  };

  const page = async (marker: string): Promise<Flavor[]> => {
    const path = `/flavors/detail?is_public=None&limit=${most}${marker}`;
    const { flavors } = read(flavorsFile, await bodyOf(path), 'The list of flavors');
    const last = flavors.at(-1);
    // A service may have pages of its own size: the last one is empty.
    return last ? [...flavors, ...(await page(`&marker=${encodeURIComponent(last.id)}`))] : [];
  };
  const pages: Servers['pages'] = async function* () {
    const path = `/servers/detail?all_tenants=1&sort_key=created_at&sort_dir=asc&limit=${most}`;
    for (let marker = ''; ;) {
      const { servers } = read(serversFile, await bodyOf(path + marker), 'The list of servers');
      if (servers.length === 0) return;
      const all = servers.map(readServer);
      yield all;
      marker = `&marker=${all.at(-1)!.id}`;
    }
  };

  let known: Promise<Flavor[]> | undefined;
  return { find, pages, flavors: async () => (known ??= page('')) };
};
