/** POST /servers (compute-api.md 3): noted down with all that it asks for, and then a run makes it so. */
import * as z from 'zod';

import { newServer, readNewServer, type ServerWish } from '../../../layers/domain/compute/new-server.ts';
import { type Amounts, checkQuota, fitting } from '../../../layers/domain/compute/quota.ts';
import { hostnameOf, reservationId } from '../../../layers/domain/compute/server.ts';
import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import { readStanding, type Standing } from '../../../layers/store/compute-quotas.ts';
import { computeKinds, type StoredFlavor, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { amountsOf, beginRun, createServers, type NewServer } from '../../../layers/store/servers.ts';
import { linksTo } from '../links.ts';
import { type Answer, type Call, type Deps, route, type Route } from '../route.ts';
import { checkGroup } from './group.ts';
import { type Networks, readNetworks } from './new-interfaces.ts';
import { newPassword, sealPassword } from './password.ts';
import { type Files, readFiles } from './personality.ts';
import { requireFlavor, requireImage, requireKey } from './requirements.ts';
import { startServerRun } from './start.ts';

/** User data and files are the most of a body. */
const mostBytes = 1024 * 1024;

/** What all servers of the request have, as far as it does not depend on which of them one is. */
type Plan = {
  readonly wish: ServerWish;
  readonly common: Partial<StoredServer>;
  readonly flavor: StoredServer['flavor'];
  readonly password: string;
};

const snapshot = ({ id, name, vcpus, ram, disk, ephemeral, swap, extra_specs }: StoredFlavor) => ({
  id,
  name,
  vcpus,
  ram,
  disk,
  ephemeral,
  swap,
  extra_specs,
});

/** The zone of the body. Throws Invalid (400) for `zone:host:node`, which names a machine. */
const zoneOf = (zone: string | undefined): string | null => {
  if (zone?.includes(':')) {
    throw Invalid('availability_zone must be a zone alone: which machine a server gets is chosen by its flavor.');
  }
  return zone ?? null;
};

const orNull = (value: unknown) => (value ?? null) as never;

/** What of the body is kept as it is. */
const givenOf = ({ server: given }: ServerWish): Partial<StoredServer> => {
  const { accessIPv4, accessIPv6, metadata, config_drive, description, tags, diskConfig, user_data } = given;
  const kept = { accessIPv4, accessIPv6, metadata, config_drive, description, tags, diskConfig };
  return {
    ...(Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) as Partial<StoredServer>),
    user_data: orNull((user_data as string | undefined)?.replaceAll(/\s/g, '')),
  };
};

const usualGroups = [{ name: 'default' }];

const securityGroups = ({ server: { security_groups: given } }: ServerWish): StoredServer['security_groups'] => {
  const groups = (given ?? []) as { name: string }[];
  return groups.length > 0 ? groups : usualGroups;
};

/** Looks at everything that the request names. Throws Invalid (400), Forbidden (403), Conflict (409). */
const makePlan = async (deps: Deps, call: Call, wish: ServerWish, { limits }: Standing): Promise<Plan> => {
  const { table } = deps;
  const { subject } = call;
  const { server: given, image: imageId, hints } = wish;
  const metadata = (given['metadata'] ?? {}) as Readonly<Record<string, string>>;
  checkQuota({ metadata_items: Object.keys(metadata).length }, {}, limits);
  const flavor = await requireFlavor(table, subject, given['flavorRef'] as string);
  const image = await requireImage(table, subject, imageId, flavor);
  const key_pair = given['key_name'] ? await requireKey(table, subject, given['key_name'] as string) : null;
  const files: Files | null = readFiles(given['personality'], limits);
  const pinned_availability_zone = zoneOf(given['availability_zone'] as string | undefined);
  const interfaces = await readNetworks(deps, subject, given['networks'] as Networks, wish.max_count);
  await checkGroup(table, subject, hints.group);
  return {
    wish,
    flavor: snapshot(flavor),
    password: (given['adminPass'] as string | undefined) ?? newPassword(),
    common: {
      ...givenOf(wish),
      tenant_id: subject.project!,
      user_id: subject.user ?? '',
      user_name: subject.user_name ?? null,
      project_name: subject.project_name ?? null,
      image: image.uuid,
      flavor: snapshot(flavor),
      key_name: key_pair?.name ?? null,
      key_pair,
      security_groups: securityGroups(wish),
      interfaces,
      personality: files,
      pinned_availability_zone,
      server_groups: hints.group === undefined ? [] : [hints.group],
      vm_state: 'building',
      reservation_id: reservationId(deps.ids.ulid()),
    },
  };
};

/** Several of one name are numbered. */
const numbered = (text: string, at: number, count: number): string => (count > 1 ? `${text}-${at + 1}` : text);

const makeServer = (deps: Deps, { wish, common }: Plan, request_id: string, at: number, count: number) => {
  const uuid = deps.ids.uuid();
  const name = numbered(wish.server['name'] as string, at, count);
  const asked = wish.server['hostname'] as string | undefined;
  const hostname = asked === undefined ? hostnameOf(name, uuid) : numbered(asked, at, count);
  const begun = beginRun(
    { uuid, generation: 0 },
    { workflow: 'server-create', birth: deps.ids.ulid(), request_id, task_state: 'scheduling' },
  );
  // Each has ports of its own; one that is there already is for a single server.
  const interfaces = common.interfaces!.map((card) => (card.made ? { ...card, port_id: deps.ids.uuid() } : card));
  const own = { uuid, name, hostname, interfaces, launch_index: at };
  return newRecord(deps, computeKinds.server, { ...common, ...own, ...begun });
};

const makeServers = async (deps: Deps, plan: Plan, request_id: string, count: number): Promise<NewServer[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const server = makeServer(deps, plan, request_id, at, count);
      return { server, password: await sealPassword(deps, server.uuid, plan.password) };
    }),
  );

/** Of several as many are made as there may be, if these are enough. Throws Forbidden (403), Invalid (400). */
const store = async (deps: Deps, call: Call, plan: Plan, standing: Standing): Promise<NewServer[]> => {
  const { min_count: least, max_count: most } = plan.wish;
  const one: Amounts = amountsOf({ flavor: plan.flavor });
  // Before so many are made.
  const wanted = Object.fromEntries(Object.entries(one).map(([name, amount]) => [name, amount * least]));
  checkQuota(wanted, standing.used, standing.limits);
  const { request_id, subject } = call;
  for (let count = Math.max(least, fitting(one, standing, most)); ; count -= 1) {
    const servers = await makeServers(deps, plan, request_id, count);
    try {
      await createServers(deps, servers, { request_id, subject });
      return servers;
    } catch (error) {
      // Somebody else of the project was faster.
      if (!isFault(error) || error.code !== 403 || count <= least) throw error;
    }
  }
};

const answerOf = ({ base }: Call, { wish, common, password }: Plan, servers: readonly NewServer[]): Answer => {
  const { server } = servers[0]!;
  if (wish.server['return_reservation_id'] === true) {
    return { status: 202, body: { reservation_id: common.reservation_id } };
  }
  return {
    status: 202,
    location: `/v2.1/servers/${server.uuid}`,
    body: {
      server: {
        id: server.uuid,
        links: linksTo(base, 'servers', server.uuid),
        'OS-DCF:diskConfig': server.diskConfig,
        security_groups: server.security_groups,
        adminPass: password,
      },
    },
  };
};

const created = z.object({
  id: z.uuid(),
  links: z.array(z.object({ rel: z.string(), href: z.url() })),
  'OS-DCF:diskConfig': z.string(),
  security_groups: z.array(z.object({ name: z.string() })),
  adminPass: z.string().describe('Told here and never again.'),
});

/** A server, or the id of the request for who asks for that. */
const shows = z.union([z.object({ server: created }), z.object({ reservation_id: z.string() })]);

export const createRoute: Route = route({
  at: 'POST /v2.1/servers',
  policy: 'os_compute_api:servers:create',
  status: 202,
  // What it is by itself `readNewServer` says, which knows more than a schema of one version.
  raw: true,
  takes: { name: 'Server', rows: newServer, under: 'server' },
  shows,
  handle: async (deps, call) => {
    const wish = readNewServer(call.raw.json(mostBytes) ?? null, call.version);
    const standing = await readStanding(deps.table, `project:${call.subject.project!}`);
    const plan = await makePlan(deps, call, wish, standing);
    const servers = await store(deps, call, plan, standing);
    for (const { server } of servers) await startServerRun(deps, server);
    return answerOf(call, plan, servers);
  },
});
