/** Server groups (compute-api.md 7): servers that say where they are to each other. */
import { knowsPolicy, type GroupPolicy, serverGroup } from '../../layers/domain/compute/server-group.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { readBool } from '../../layers/domain/page.ts';
import { allows, denied } from '../../layers/domain/policy.ts';
import { projector, type Shown } from '../../layers/domain/projection.ts';
import { namedSchema } from '../../layers/domain/schema.ts';
import { computeKinds, type StoredServerGroup } from '../../layers/store/kinds/compute.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { findRecord } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import { createGroup, removeGroup } from '../../layers/store/server-groups.ts';
import { readLimit } from './list.ts';
import { type Call, type Deps, route, type Route } from './route.ts';

const kind = computeKinds.server_group;
const at = '/v2.1/os-server-groups';
const { title } = kind;

const shape = { name: 'ServerGroup', rows: serverGroup } as const;
const one = { ...shape, under: 'server_group' } as const;

const shown: Shown<StoredServerGroup> = {
  id: ({ uuid }) => uuid,
  policies: ({ policy }) => [policy],
};

const viewOf = (call: Call) => projector<StoredServerGroup>(serverGroup, call, 'all', { shown });

const find = async ({ table }: Deps, params: Readonly<Record<string, string>>): Promise<StoredServerGroup> =>
  findRecord(table, kind, params['server_group_id']!);

type Named = Record<'server_group', Record<string, unknown>>;

/** The policy of a body, which is a list of one until 2.63. Throws Invalid (400) for one that is newer than the version. */
const policyOf = ({ version, body: { server_group: given } }: Call<Named>): GroupPolicy => {
  const [policy] = (given['policies'] ?? [given['policy']]) as [GroupPolicy];
  if (!knowsPolicy(policy, version)) throw Invalid(`Policy ${policy} needs API version 2.15.`);
  return policy;
};

/** Throws Invalid (400). */
const readNew = (deps: Deps, call: Call<Named>): StoredServerGroup => {
  const { name, rules } = call.body.server_group;
  const policy = policyOf(call);
  if (rules && Object.keys(rules).length > 0 && policy !== 'anti-affinity') {
    throw Invalid('Only anti-affinity policy supports rules.');
  }
  const { project, user } = call.subject;
  return newRecord(deps, kind, { name, policy, ...(rules ? { rules } : {}), project_id: project, user_id: user });
};

/** Not a page behind a marker, as elsewhere: Nova counts how many are left out. Throws Invalid (400). */
const offsetOf = ({ query }: Call): number => {
  const text = query['offset']?.[0] ?? '0';
  if (!/^\d{1,9}$/.test(text)) throw Invalid(`Invalid value for offset: "${text}" is not a number of records.`);
  return Number(text);
};

/** Whose groups: null is everybody's. Throws Forbidden (403), Invalid (400). */
const projectOf = ({ query, subject }: Call): string | null => {
  // Empty is as good as true.
  const all = query['all_projects']?.[0] === '' || (readBool(query, 'all_projects') ?? false);
  const rule = 'os_compute_api:os-server-groups:index:all_projects';
  if (all && !allows(rule, subject)) throw denied(rule);
  return all ? null : subject.project;
};

export const serverGroupRoutes: readonly Route[] = [
  route({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-server-groups:index',
    query: { all_projects: { doc: 'Those of all projects; for administrators.' }, limit: {}, offset: {} },
    answers: { ...shape, list: 'server_groups' },
    handle: async ({ table }, call) => {
      const [project, limit, offset] = [projectOf(call), readLimit(call), offsetOf(call)];
      const page = { limit: offset + limit, marker: undefined, sort_key: 'id', descending: false };
      const lookups = project === null ? undefined : [{ index: 'project_id', value: project }];
      const found = await listRecords(table, kind, page, { lookups });
      return { body: { server_groups: found.slice(offset).map(viewOf(call)) } };
    },
  }),
  route<Named>({
    at: `POST ${at}`,
    policy: 'os_compute_api:os-server-groups:create',
    doc: 'A new group.',
    status: 200,
    body: namedSchema('server_group', serverGroup),
    answers: one,
    handle: async (deps, call) => ({
      body: { server_group: viewOf(call)(await createGroup(deps, readNew(deps, call))) },
    }),
  }),
  route<undefined, StoredServerGroup>({
    at: `GET ${at}/{server_group_id}`,
    policy: 'os_compute_api:os-server-groups:show',
    doc: 'A group with its servers.',
    answers: one,
    title,
    find,
    handle: async (_deps, call) => ({ body: { server_group: viewOf(call)(call.target) } }),
  }),
  route<undefined, StoredServerGroup>({
    at: `DELETE ${at}/{server_group_id}`,
    policy: 'os_compute_api:os-server-groups:delete',
    doc: 'Removes a group; its servers stay.',
    status: 204,
    title,
    find,
    handle: async (deps, { target }) => {
      await removeGroup(deps, target);
      return {};
    },
  }),
];
