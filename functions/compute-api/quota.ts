/** Quotas and limits (compute-api.md 7): how much a project may have, and how much it has. */
import * as z from 'zod';

import { type Amounts, limitsOf, type QuotaName, quotas } from '../../layers/domain/compute/quota.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { isKnown } from '../../layers/domain/fields.ts';
import { allows, denied } from '../../layers/domain/policy.ts';
import type { ComputeRule } from '../../layers/domain/compute/policy.ts';
import { bool } from '../../layers/domain/values.ts';
import { changeLimits, readStanding, type Standing } from '../../layers/store/compute-quotas.ts';
import { type Call, type Deps, route, type Route } from './route.ts';

const at = '/v2.1/os-quota-sets/{tenant_id}';

type Row = (typeof quotas)[QuotaName] & {
  readonly until?: number;
  readonly uncounted?: true;
  readonly absolute?: readonly string[];
  readonly used?: string;
};

/** What this version knows of. */
const rowsAt = (version: number): readonly [QuotaName, Row][] =>
  (Object.entries(quotas) as [QuotaName, Row][]).filter(([, row]) => isKnown(row, version));

/** The project of the path, if the caller passes the rule for it. Throws Forbidden (403). */
const projectOf = ({ subject, params }: Call, rule: ComputeRule): string => {
  const project_id = params['tenant_id']!;
  if (!allows(rule, subject, { project_id })) throw denied(rule);
  return project_id;
};

const limitsAt = (version: number, limits: Amounts) =>
  Object.fromEntries(rowsAt(version).map(([name]) => [name, limits[name]]));

const detailsAt = (version: number, { limits, used }: Standing) =>
  Object.fromEntries(
    rowsAt(version).map(([name]) => [name, { limit: limits[name], in_use: used[name] ?? 0, reserved: 0 }]),
  );

const limit = z.union(
  [
    z.int().min(-1).max(0x7fffffff),
    z
      .string()
      .regex(/^(?:-1|\d{1,9})$/)
      .transform(Number),
  ],
  { error: 'must be a whole number, or -1 for no limit' },
);

/** A limit that nobody would heed is refused. */
const limitOf = ({ uncounted, doc }: Row) =>
  uncounted ? limit.refine((most) => most === -1, `must be -1: ${doc}`) : limit;

type Body = { readonly quota_set: Amounts & { readonly force?: boolean; readonly tenant_id?: string } };

const bodies = new Map<number, z.ZodType<Body>>();

/** What PUT takes at a version. */
const bodyAt = (version: number): z.ZodType<Body> => {
  const rows = Object.fromEntries(rowsAt(version).map(([name, row]) => [name, limitOf(row).optional()]));
  const body =
    bodies.get(version) ??
    (z.strictObject({
      quota_set: z.strictObject({ ...rows, force: bool.optional(), tenant_id: z.string().optional() }),
    }) as unknown as z.ZodType<Body>);
  bodies.set(version, body);
  return body;
};

/** Throws Invalid (400) for a limit below what is used already. */
const checkUsed = (wanted: Amounts, used: Amounts): void => {
  for (const [name, most] of Object.entries(wanted) as [QuotaName, number][]) {
    const least = used[name] ?? 0;
    if (most >= 0 && most < least) {
      throw Invalid(
        `Quota limit ${most} for ${name} must be greater than or equal to already used and reserved ${least}.`,
      );
    }
  }
};

const update = async (deps: Deps, call: Call<Body>): Promise<Standing> => {
  const { force = false, tenant_id: _same, ...wanted } = call.body.quota_set;
  if (call.query['user_id']) throw Invalid('There are no limits of single users of a project: leave user_id out.');
  return changeLimits(deps, `project:${call.params['tenant_id']!}`, ({ limits, used }) => {
    if (!force) checkUsed(wanted, used);
    return { ...limits, ...wanted };
  });
};

/** Names with their values by the columns of the rows. */
const absoluteAt = (version: number, { limits, used }: Standing): Record<string, number> =>
  Object.fromEntries(
    rowsAt(version).flatMap(([name, row]): [string, number][] => [
      ...(row.absolute ?? []).map((called): [string, number] => [called, limits[name]]),
      ...(row.used ? [[row.used, used[name] ?? 0] as [string, number]] : []),
    ]),
  );

const ofUser = { user_id: { doc: 'Without effect: limits are those of projects.' } };

/** A number of each quota, and whose they are. */
const id = z.string();
const limitsShown = z.object({ quota_set: z.record(z.string(), z.union([z.int(), id])) });

export const quotaRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.1/limits',
    policy: 'os_compute_api:limits',
    shows: z.object({
      limits: z.object({ rate: z.array(z.unknown()), absolute: z.record(z.string(), z.int()) }),
    }),
    query: { tenant_id: { doc: 'Of which project; for administrators.' }, reserved: {} },
    handle: async ({ table }, { version, subject, query }) => {
      const project = query['tenant_id']?.[0] ?? subject.project!;
      const rule = 'os_compute_api:limits:other_project';
      if (project !== subject.project && !allows(rule, subject)) throw denied(rule);
      const absolute = absoluteAt(version, await readStanding(table, `project:${project}`));
      return { body: { limits: { rate: [], absolute } } };
    },
  }),
  route({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-quota-sets:show',
    shows: limitsShown,
    query: ofUser,
    handle: async ({ table }, call) => {
      const id = projectOf(call, 'os_compute_api:os-quota-sets:show');
      const { limits } = await readStanding(table, `project:${id}`);
      return { body: { quota_set: { id, ...limitsAt(call.version, limits) } } };
    },
  }),
  route({
    at: `GET ${at}/detail`,
    policy: 'os_compute_api:os-quota-sets:detail',
    shows: z.object({
      quota_set: z.record(z.string(), z.union([z.object({ limit: z.int(), in_use: z.int(), reserved: z.int() }), id])),
    }),
    query: ofUser,
    handle: async ({ table }, call) => {
      const id = projectOf(call, 'os_compute_api:os-quota-sets:detail');
      return { body: { quota_set: { id, ...detailsAt(call.version, await readStanding(table, `project:${id}`)) } } };
    },
  }),
  route({
    at: `GET ${at}/defaults`,
    policy: 'os_compute_api:os-quota-sets:defaults',
    shows: limitsShown,
    handle: async (_deps, { version, params }) => ({
      body: { quota_set: { id: params['tenant_id'], ...limitsAt(version, limitsOf()) } },
    }),
  }),
  route<Body>({
    at: `PUT ${at}`,
    policy: 'os_compute_api:os-quota-sets:update',
    query: ofUser,
    body: bodyAt,
    shows: limitsShown,
    handle: async (deps, call) => {
      const { limits } = await update(deps, call);
      return { body: { quota_set: limitsAt(call.version, limits) } };
    },
  }),
  route({
    at: `DELETE ${at}`,
    policy: 'os_compute_api:os-quota-sets:delete',
    query: ofUser,
    status: 202,
    handle: async (deps, { params }) => {
      await changeLimits(deps, `project:${params['tenant_id']!}`, () => ({}));
      return {};
    },
  }),
];
