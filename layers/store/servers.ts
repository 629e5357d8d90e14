/**
 * Servers: how they come to be, how their runs begin, how they go. A run is recorded with its server before it is started,
 * so that whoever dies in between leaves one that `server-sync` starts (DESIGN.md 3.9).
 */
import type { Asked, ServerWorkflow } from '../domain/compute/actions.ts';
import { addAmounts, type Amounts, checkQuota } from '../domain/compute/quota.ts';
import type { TaskState } from '../domain/compute/server-states.ts';
import { Forbidden, Invalid } from '../domain/fault.ts';
import { isoTime } from '../domain/values.ts';
import type { Table, Write } from '../platform/table.ts';
import { counting, givingBack, type Holder, readStanding, spending } from './compute-quotas.ts';
import { expiryOf } from './events.ts';
import { serverCompanions } from './kinds/companions.ts';
import { apartKey } from './kinds/kind.ts';
import { computeKinds, type StoredServer } from './kinds/compute.ts';
import { createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { type Beside, beside, besideNew, type Change } from './records/plan.ts';
import { runName } from './runs.ts';
import { actionWrite, type Asking, serverLine, stateLine } from './server-history.ts';

const kind = computeKinds.server;
const groups = computeKinds.server_group;

/** A password as it is stored until the guest was told it. */
export type SealedPassword = { readonly sealed: string };

/** What a new run is about. `birth` is a fresh ULID, which the caller draws once for all times that it decides. */
export type Beginning = {
  readonly workflow: ServerWorkflow;
  readonly birth: string;
  readonly request_id: string;
  readonly asked?: Asked;
  /** What is being done from then on; absent: nothing that a client sees. */
  readonly task_state?: TaskState | undefined;
};

/** What a server becomes when a run begins to work on it, in place of the one that it had. */
export const beginRun = (
  { uuid, generation }: Pick<StoredServer, 'uuid' | 'generation'>,
  { workflow, birth, request_id, asked, task_state }: Beginning,
): Partial<StoredServer> => ({
  run: runName(uuid, birth),
  run_workflow: workflow,
  generation: generation + 1,
  request_id,
  asked: asked ?? null,
  event: null,
  phase: null,
  ...(task_state && { task_state }),
});

/** What a server becomes when its run is over. */
export const endRun = (): Partial<StoredServer> => ({
  run: null,
  run_workflow: null,
  request_id: null,
  asked: null,
  event: null,
  phase: null,
  task_state: null,
});

/** What a server counts for. */
export const amountsOf = ({ flavor: { vcpus, ram } }: Pick<StoredServer, 'flavor'>): Amounts => ({
  instances: 1,
  cores: vcpus,
  ram,
});

const holderOf = ({ tenant_id: project }: Pick<StoredServer, 'tenant_id'>): Holder => `project:${project}`;

/** Servers that one transaction makes: of each there are up to nine items, and a transaction takes 100. */
const atOnce = 10;

/** The change of the group that they are made in. Throws Invalid (400) without it, Forbidden (403) if it is full. */
const joining = async (table: Table, servers: readonly StoredServer[]): Promise<Beside[]> => {
  const [uuid] = servers[0]!.server_groups;
  if (uuid === undefined) return [];
  const group = await readRecord(table, groups, uuid);
  if (!group) throw Invalid(`Instance Group ${uuid} could not be found.`);
  const { limits } = await readStanding(table, `project:${group.project_id}`);
  const [wanted, used] = [{ server_group_members: servers.length }, { server_group_members: group.members.length }];
  try {
    checkQuota(wanted, used, limits);
  } catch (error) {
    throw Forbidden('Quota exceeded, too many servers in group', error);
  }
  return [beside(groups, group, { set: { members: [...group.members, ...servers.map((server) => server.uuid)] } })];
};

/** What else a new server comes with; `password` is sealed. */
export type NewServer = { readonly server: StoredServer; readonly password: string };

const recorded = ({ server, password }: NewServer, asking: Asking): Change<StoredServer> => ({
  also: [
    actionWrite(server.uuid, asking, { action: 'create', run: server.run, at: server.created_at }),
    serverCompanions.admin_password.put(server.uuid, { sealed: password }),
  ],
  events: [{ kind: 'transition', severity: 'INFO', event_type: 'transition', message: 'building (scheduling)' }],
});

const createSome = async (needs: Needs, some: readonly NewServer[], asking: Asking): Promise<void> => {
  const [first, ...others] = some as readonly [NewServer, ...NewServer[]];
  const servers = some.map(({ server }) => server);
  const wanted = servers.map(amountsOf).reduce(addAmounts);
  await createRecord(needs, kind, first.server, async () => {
    const change = recorded(first, asking);
    const counted = await spending(needs, holderOf(first.server), wanted);
    const more = others.map((one) => besideNew(kind, one.server, recorded(one, asking)));
    return { ...change, beside: [counted, ...(await joining(needs.table, servers)), ...more] };
  });
};

/**
 * Stores new servers of one request, counted in the quota of their project: all of them or none. Their runs are recorded
 * with them and not started. Throws Forbidden (403) past a limit, Invalid (400) without the server group.
 */
export const createServers = async (needs: Needs, all: readonly NewServer[], asking: Asking): Promise<void> => {
  if (all.length > atOnce) {
    const { limits, used } = await readStanding(needs.table, holderOf(all[0]!.server));
    checkQuota(all.map(({ server }) => amountsOf(server)).reduce(addAmounts), used, limits);
  }
  for (let at = 0; at < all.length; at += atOnce) {
    try {
      await createSome(needs, all.slice(at, at + atOnce), asking);
    } catch (error) {
      for (const { server } of all.slice(0, at)) await removeServer(needs, server.uuid);
      throw error;
    }
  }
};

/**
 * Stores a server that somebody has already, counted in the quota of its project whatever that allows. Throws Conflict
 * (409) if there is one of its UUID.
 */
export const storeMovedServer = async (needs: Needs, server: StoredServer, asking: Asking): Promise<void> => {
  await createRecord(needs, kind, server, async () => ({
    beside: [await counting(needs, holderOf(server), amountsOf(server))],
    also: [actionWrite(server.uuid, asking, { action: 'import', run: null, at: isoTime(needs.clock.now()) })],
    events: [
      { kind: 'request', severity: 'INFO', event_type: 'import', message: 'Moved in from another installation.' },
    ],
  }));
};

/** One that is deleted, as it was. */
export type GoneServer = { readonly server: StoredServer; readonly expires_at: number };

/** Where those of a project are that are deleted; null: of all projects. */
const gonePartition = (project: string | null): string => `gone_server#${project ?? ''}`;

/** What is left of a server: beside its history, and where lists find it that ask what has changed. */
const goneWrites = (server: StoredServer, at: string): Write[] => {
  const gone: GoneServer = { server, expires_at: expiryOf(at) };
  const places = [gonePartition(server.tenant_id), gonePartition(null)];
  return [
    serverCompanions.gone.put(server.uuid, gone),
    ...places.map((pk): Write => ({ put: { pk, sk: `${at}#${server.uuid}`, ...gone } })),
  ];
};

/** The servers of a project (null: of all) that were deleted since a time (ISO 8601), the newest first. */
export const goneSince = async (table: Table, project: string | null, since: string): Promise<StoredServer[]> => {
  const items = await table.query({ partition: gonePartition(project), after: since, descending: true });
  return items.map((item) => (item as unknown as GoneServer).server);
};

/** A server that was deleted, as it was; undefined if that was long ago, or there was none. */
export const readGone = async (table: Table, uuid: string): Promise<StoredServer | undefined> =>
  (await serverCompanions.gone.read(table, uuid))?.server;

/** The change of the groups that a server leaves. */
const leaving = async (table: Table, { uuid, server_groups }: StoredServer): Promise<Beside[]> => {
  const found = await Promise.all(server_groups.map(async (one) => readRecord(table, groups, one)));
  return found.flatMap((group) =>
    group ? [beside(groups, group, { set: { members: group.members.filter((member) => member !== uuid) } })] : [],
  );
};

/**
 * Removes a server for good and gives back what it counted for; its history stays for a while, and so does what it was.
 * `permit` refuses by throwing. Throws NotFound (404).
 */
export const removeServer = async (
  needs: Needs,
  uuid: string,
  permit: (server: StoredServer) => void = () => undefined,
): Promise<void> => {
  await removeRecord(needs, kind, uuid, async (server) => {
    permit(server);
    const at = isoTime(needs.clock.now());
    const gone: StoredServer = { ...server, ...endRun(), vm_state: 'deleted', terminated_at: at, updated_at: at };
    const { user_data: _data, personality: _files, ...small } = gone;
    const line = stateLine(server, gone);
    return {
      beside: [await givingBack(needs, holderOf(server), amountsOf(server)), ...(await leaving(needs.table, server))],
      also: [
        ...goneWrites({ ...small, user_data: null, personality: null }, at),
        { delete: serverCompanions.admin_password.key(uuid) },
        { delete: serverCompanions.wait.key(uuid) },
        ...(line ? [serverLine(gone, line, at, needs.ids)] : []),
      ],
    };
  });
};

/** Servers of a list together with their user data. */
export const withUserData = async (table: Table, servers: readonly StoredServer[]): Promise<StoredServer[]> => {
  const items = await table.getMany(servers.map(({ uuid }) => apartKey(kind, uuid, 'user_data')));
  return servers.map((server, at) => ({ ...server, user_data: (items[at]?.['values'] ?? null) as string | null }));
};
