/** Quotas: how many records a project may have of each kind, and how many it has. */
import * as z from 'zod';

import { Invalid } from '../../layers/domain/fault.ts';
import { counted, quota } from '../../layers/domain/network/quota.ts';
import { json } from '../../layers/domain/values.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { networkKinds, type StoredQuota } from '../../layers/store/kinds/networks.ts';
import { defaultLimits, type Limits, limitsOf, usedBy } from '../../layers/store/quotas.ts';
import { changeRecord, createRecord, removeRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { eachRecord } from '../../layers/store/records/list.ts';
import { readChange, readOne, type Values } from './body.ts';
import { type Deps, route, type Route } from './route.ts';

const kind = networkKinds.network_quota;
const at = '/v2.0/quotas/{project_id}';

/** Whose quotas a path is about. There may be no such project; nobody here knows. */
type Whose = { readonly project_id: string };

const find = async (_deps: Deps, { project_id = '' }: Readonly<Record<string, string>>): Promise<Whose> => ({
  project_id,
});

const shown = (limits: object, project: string) => ({ ...limits, project_id: project, tenant_id: project });

const limitsIn = (record: StoredQuota): object => Object.fromEntries(counted.map((what) => [what, record[what]]));

/** What clients send along: refuse limits below what there is, or do not look. */
const readLimits = ({ check_limit: checks, force: _force, ...given }: Values): { set: Values; checks: boolean } => {
  const strange = Object.keys(given).find((name) => !counted.some((what) => what === name));
  if (strange !== undefined)
    throw Invalid(`Unrecognized attribute(s) '${strange}': there are limits of ${counted.join(', ')}.`);
  return { set: readChange(quota, given), checks: checks === true };
};

/** Throws Invalid (400) for a limit below what the project has. */
const refuseBelow = (set: Values, used: Limits): void => {
  const low = counted.find((what) => what in set && set[what] !== -1 && (set[what] as number) < used[what]);
  if (low) throw Invalid(`Quota limit of ${low} is less than the ${used[low]} that the project has.`);
};

const write = async (deps: Deps, project: string, set: Partial<StoredQuota>): Promise<void> => {
  const own = await readRecord(deps.table, kind, project);
  if (own) await changeRecord(deps, kind, project, () => ({ set }));
  else await createRecord(deps, kind, newRecord(deps, kind, { ...set, uuid: project }));
};

const details = (limits: Limits, used: Limits): object =>
  Object.fromEntries(counted.map((what) => [what, { limit: limits[what], used: used[what], reserved: 0 }]));

const each = (schema: z.ZodType) => Object.fromEntries(counted.map((what) => [what, schema]));
const limits = z.object({ ...each(z.int()), project_id: z.string(), tenant_id: z.string() });
const standing = z.object(each(z.object({ limit: z.int(), used: z.int(), reserved: z.int() })));

/** What answers show, and PUT takes. */
const shows = z.object({ quota: limits });
const takes = z.object({ quota: limits.partial().extend({ check_limit: z.boolean().optional() }) });

export const quotaRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.0/quotas',
    policy: 'update_quota',
    doc: 'quotas that were set',
    shows: z.object({ quotas: z.array(limits) }),
    handle: async ({ table }) => {
      const quotas: object[] = [];
      await eachRecord(table, kind, {}, (one) => quotas.push(shown(limitsIn(one), one.uuid)));
      return { body: { quotas } };
    },
  }),
  route<undefined, Whose>({
    at: `GET ${at}`,
    policy: 'get_quota',
    shows,
    find,
    handle: async ({ table }, { target: { project_id: project } }) => ({
      body: { quota: shown(await limitsOf(table, project), project) },
    }),
  }),
  route<undefined, Whose>({
    at: `GET ${at}/default`,
    policy: 'get_quota',
    doc: 'get default quota',
    shows,
    find,
    handle: async (_deps, { target: { project_id: project } }) => ({ body: { quota: shown(defaultLimits, project) } }),
  }),
  route<undefined, Whose>({
    at: `GET ${at}/details`,
    policy: 'get_quota',
    doc: 'get quota, and what there is',
    shows: z.object({ quota: standing }),
    find,
    handle: async ({ table }, { target: { project_id: project } }) => ({
      body: { quota: details(await limitsOf(table, project), await usedBy(table, project)) },
    }),
  }),
  route<Values, Whose>({
    at: `PUT ${at}`,
    policy: 'update_quota',
    body: json,
    takes,
    shows,
    find,
    handle: async (deps, { body, target: { project_id: project } }) => {
      const { set, checks } = readLimits(readOne(body, 'quota'));
      if (checks) refuseBelow(set, await usedBy(deps.table, project));
      await write(deps, project, set);
      return { body: { quota: shown(await limitsOf(deps.table, project), project) } };
    },
  }),
  route<undefined, Whose>({
    at: `DELETE ${at}`,
    policy: 'delete_quota',
    find,
    handle: async (deps, { target: { project_id: project } }) => {
      if (await readRecord(deps.table, kind, project)) await removeRecord(deps, kind, project);
      return {};
    },
  }),
];
