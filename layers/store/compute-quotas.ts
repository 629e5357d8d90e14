/**
 * What projects and users have of what has limits (compute-api.md 7). It is counted in one record, changed in the same
 * transaction as what it counts, so that nobody gets past a limit, and nothing is scanned to know it.
 */
import {
  addAmounts,
  type Amounts,
  checkQuota,
  type ComputeQuota,
  limitsOf,
  type QuotaName,
  withoutAmounts,
} from '../domain/compute/quota.ts';
import { isFault } from '../domain/fault.ts';
import type { Table } from '../platform/table.ts';
import { newRecord } from './kinds/form.ts';
import { computeKinds, type StoredComputeQuota } from './kinds/compute.ts';
import { changeRecord, createRecord, type Needs } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { type Beside, beside, planOf } from './records/plan.ts';

const kind = computeKinds.compute_quota;

/** Who has things: servers and server groups are a project's, key pairs a user's. */
export type Holder = `project:${string}` | `user:${string}`;

/** Limits (-1: none) and what is used of them. */
export type Standing = { readonly limits: Readonly<Record<QuotaName, number>>; readonly used: Amounts };

/** Those of a holder. */
export const readStanding = async (table: Table, holder: Holder): Promise<Standing> => {
  const quota = await readRecord(table, kind, holder);
  return { limits: limitsOf(quota?.limits), used: quota?.used ?? {} };
};

type Found = { readonly quota: StoredComputeQuota; readonly isNew: boolean };

const find = async (needs: Needs, holder: Holder): Promise<Found> => {
  const quota = await readRecord(needs.table, kind, holder);
  return quota ? { quota, isNew: false } : { quota: newRecord(needs, kind, { uuid: holder }), isNew: true };
};

const written = ({ quota, isNew }: Found, set: Partial<StoredComputeQuota>): Beside => {
  if (!isNew) return beside(kind, quota, { set });
  // Whoever makes it first is no conflict for a client: what depends on it is decided again.
  return (moment) => planOf(kind, { after: { ...quota, ...set } }, {}, moment).map(({ write }) => ({ write }));
};

/**
 * The change that counts what begins to be used, beside that of what it counts. `limits`: of whom; default: the holder.
 * Throws Forbidden (403) in Nova's words past a limit.
 */
export const spending = async (
  needs: Needs,
  holder: Holder,
  wanted: Amounts,
  limits: Holder = holder,
): Promise<Beside> => {
  const found = await find(needs, holder);
  const allowed = limits === holder ? limitsOf(found.quota.limits) : (await readStanding(needs.table, limits)).limits;
  checkQuota(wanted, found.quota.used, allowed);
  return written(found, { used: addAmounts(found.quota.used, wanted) });
};

/** The same of what somebody has already, whatever his limits: only what comes next has to fit. */
export const counting = async (needs: Needs, holder: Holder, amounts: Amounts): Promise<Beside> => {
  const found = await find(needs, holder);
  return written(found, { used: addAmounts(found.quota.used, amounts) });
};

/** The change that counts what is used no more. */
export const givingBack = async (needs: Needs, holder: Holder, amounts: Amounts): Promise<Beside> => {
  const found = await find(needs, holder);
  return written(found, { used: withoutAmounts(found.quota.used, amounts) });
};

const isTaken = (error: unknown): boolean => isFault(error) && error.code === 409;

/** Sets the limits of a holder to what `decide` makes of those that were set; it refuses by throwing. */
export const changeLimits = async (
  needs: Needs,
  holder: Holder,
  decide: (quota: ComputeQuota) => Amounts,
): Promise<Standing> => {
  const { isNew, quota } = await find(needs, holder);
  if (isNew) {
    await createRecord(needs, kind, quota).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
  }
  const { after } = await changeRecord(needs, kind, holder, (stored) => ({ set: { limits: decide(stored) } }));
  return { limits: limitsOf(after.limits), used: after.used };
};
