/**
 * Limits of a project (compute-api.md 7), a row each; -1 is none. An operator may set others for a project. Nova's own
 * limits of 20 cores and 50 GB would refuse most single machines, so machines are counted, and not what is in them.
 */
import { Forbidden } from '../fault.ts';

type Quota = {
  /** What a project has without a word of its operator. */
  readonly limit: number;
  /** The names in `GET /limits`, of the limit and of what is used of it. */
  readonly absolute?: readonly string[];
  readonly used?: string;
  /** The last microversion that shows it. */
  readonly until?: number;
  /** It is not counted here, so there is never a limit. */
  readonly uncounted?: true;
  readonly doc: string;
};

/** By the names of os-quota-sets. */
export const quotas = {
  instances: { limit: 10, absolute: ['maxTotalInstances'], used: 'totalInstancesUsed', doc: 'Servers.' },
  cores: {
    limit: -1,
    absolute: ['maxTotalCores'],
    used: 'totalCoresUsed',
    doc: 'Cores of their flavors, together.',
  },
  ram: { limit: -1, absolute: ['maxTotalRAMSize'], used: 'totalRAMUsed', doc: 'MB of their flavors, together.' },
  metadata_items: {
    limit: 128,
    absolute: ['maxServerMeta', 'maxImageMeta'],
    doc: 'Keys in the metadata of one server.',
  },
  key_pairs: { limit: 100, absolute: ['maxTotalKeypairs'], doc: 'Key pairs of one user.' },
  server_groups: {
    limit: 10,
    absolute: ['maxServerGroups'],
    used: 'totalServerGroupsUsed',
    doc: 'Server groups.',
  },
  server_group_members: { limit: 10, absolute: ['maxServerGroupMembers'], doc: 'Servers in one server group.' },
  injected_files: { limit: 5, absolute: ['maxPersonality'], until: 56, doc: 'Files of `personality`.' },
  injected_file_content_bytes: {
    limit: 10_240,
    absolute: ['maxPersonalitySize'],
    until: 56,
    doc: 'Bytes in such a file.',
  },
  injected_file_path_bytes: { limit: 255, until: 56, doc: 'Bytes in the path of such a file.' },
  fixed_ips: { limit: -1, uncounted: true, until: 49, doc: 'No limit here: networks have their own.' },
  floating_ips: {
    limit: -1,
    uncounted: true,
    absolute: ['maxTotalFloatingIps'],
    used: 'totalFloatingIpsUsed',
    until: 35,
    doc: 'No limit here: networks have their own.',
  },
  security_groups: {
    limit: -1,
    uncounted: true,
    absolute: ['maxSecurityGroups'],
    used: 'totalSecurityGroupsUsed',
    until: 35,
    doc: 'No limit: they have no effect on machines.',
  },
  security_group_rules: {
    limit: -1,
    uncounted: true,
    absolute: ['maxSecurityGroupRules'],
    until: 35,
    doc: 'No limit: they have no effect on machines.',
  },
} as const satisfies { readonly [name: string]: Quota };

export type QuotaName = keyof typeof quotas;
/** Numbers by some of the names: limits that were set, what is used, what is wanted. */
export type Amounts = { readonly [N in QuotaName]?: number };

/** What is stored of a project, or of a user: the limits that were set, and what is used. */
export type ComputeQuota = { readonly limits: Amounts; readonly used: Amounts };

/** Of one of whom nothing is known yet. */
export const firstQuota: ComputeQuota = { limits: {}, used: {} };

const combine = (one: Amounts, other: Amounts, make: (a: number, b: number) => number): Amounts =>
  Object.fromEntries(
    (Object.keys({ ...one, ...other }) as QuotaName[]).map((name) => [name, make(one[name] ?? 0, other[name] ?? 0)]),
  );

/** The sum of both. */
export const addAmounts = (one: Amounts, other: Amounts): Amounts => combine(one, other, (a, b) => a + b);

/** What is left; never less than nothing. */
export const withoutAmounts = (one: Amounts, other: Amounts): Amounts =>
  combine(one, other, (a, b) => Math.max(0, a - b));

/** The limits of a project: those that were set for it, and else the usual ones. */
export const limitsOf = (set: Amounts = {}): Readonly<Record<QuotaName, number>> => {
  const usual = Object.fromEntries(Object.entries(quotas).map(([name, { limit }]) => [name, limit]));
  return { ...(usual as Record<QuotaName, number>), ...set };
};

/** Names of all quotas that have not enough left for what is wanted. */
const exceeded = (wanted: Amounts, used: Amounts, limits: Amounts): QuotaName[] =>
  (Object.keys(wanted) as QuotaName[]).filter((name) => {
    const limit = limits[name] ?? -1;
    return limit >= 0 && (used[name] ?? 0) + (wanted[name] ?? 0) > limit;
  });

/** Throws Forbidden (403) in Nova's words if something of what is wanted does not fit into what is left. */
export const checkQuota = (wanted: Amounts, used: Amounts, limits: Amounts): void => {
  const names = exceeded(wanted, used, limits);
  if (names.length === 0) return;
  const all = (amounts: Amounts) => names.map((name) => amounts[name] ?? 0).join(', ');
  throw Forbidden(
    `Quota exceeded for ${names.join(', ')}: Requested ${all(wanted)}, but already used ${all(used)} of ${all(limits)} ${names.join(', ')}`,
  );
};

/** Of how many, `most` at most, there is room for what each of them wants. */
export const fitting = (
  each: Amounts,
  { limits, used }: { readonly limits: Amounts; readonly used: Amounts },
  most: number,
): number =>
  (Object.entries(each) as [QuotaName, number][]).reduce((count, [name, amount]) => {
    const limit = limits[name] ?? -1;
    if (limit < 0 || amount === 0) return count;
    return Math.min(count, Math.max(0, Math.floor((limit - (used[name] ?? 0)) / amount)));
  }, most);
