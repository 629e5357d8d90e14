/** Allocations as owners of runs: no lock and no history; a run works as long as its allocation looks for a node. */
import * as z from 'zod';

import { plainText, sentence } from '../../../layers/domain/foreign-text.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { Superseded } from '../../../layers/store/runs.ts';
import type { Failure } from '../../run/failure.ts';
import { anyCall, type Owner, type RecordedRun } from '../../run/owner.ts';
import type { Answer, Answers, Phase } from '../../run/phase.ts';
import { allocatingNow, allocationRun, failAllocation } from '../../../layers/store/allocations.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';

/** What a function may touch of the world that runs the phases of allocations. */
export type World = Pick<Platform, 'table' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

export type AllocationContext = { readonly platform: World; readonly allocation: string };
type AllocationOutcome<A extends Answers = Answers> = { readonly is: 'done'; readonly output: Answer<A> };
export type AllocationPhase<A extends Answers = Answers> = Phase<AllocationContext, AllocationOutcome<A>>;
export type AllocationPhases = { readonly [state: string]: AllocationPhase };

/** The row in `workflows/<name>/index.ts`. */
export type AllocationWorkflow = {
  readonly owner: 'allocation';
  /** For operators. */
  readonly doc: string;
  /** What `last_error` says has failed. */
  readonly what: string;
  /** What an operator does then. */
  readonly next: string;
  phases(): Promise<{ readonly phases: AllocationPhases }>;
};

/** An allocation has one run in its life: the search for its node. */
export type AllocationWorkflows = { readonly allocate: AllocationWorkflow };
const search = 'allocate';

/** The allocation is deleted, or another execution has ended its search. */
export const SearchOver = (uuid: string) => Superseded(`Allocation ${uuid} does not look for a node any more.`);

const call = anyCall
  .extend({ allocation: z.string() })
  .transform(({ allocation, ...call }) => ({ ...call, uuid: allocation }));
type AllocationCall = z.output<typeof call>;

const lastError = ({ what, next }: AllocationWorkflow, { phase, error, message }: Failure): string =>
  `${what} failed in ${phase}: ${sentence(plainText(message).trim() || error)} ${next}`;

/** Its state says whether it goes on. */
const searchOf = async ({ table }: Pick<World, 'table'>, uuid: string): Promise<RecordedRun[]> => {
  const allocation = await readRecord(table, kinds.allocation, uuid);
  if (allocation?.state !== 'allocating') return [];
  const changed_at = Date.parse(allocation.updated_at ?? allocation.created_at);
  const run = allocationRun(allocation);
  return [{ uuid, workflow: search, run, input: { allocation: uuid }, phase: 'its search', changed_at }];
};

/** Allocations as owners of the runs of these workflows. */
export const createAllocationOwner = ({
  allocate: row,
}: AllocationWorkflows): Owner<World, AllocationCall, AllocationPhase, AllocationContext, AllocationOutcome> => ({
  kind: 'allocation',
  call,
  phases: (workflow) => (workflow === search ? row.phases().then(({ phases }) => phases) : undefined),
  busy: async ({ table }) => allocatingNow(table),
  read: async (platform, uuid) => searchOf(platform, uuid),
  hold: async (platform, { call: { uuid } }) => ({ platform, allocation: uuid }),
  tell: async () => {},
  judge: async (_world, _work, _context, error) => error,
  fail: async (platform, { uuid }, failure) => {
    if (!(await failAllocation(platform, uuid, lastError(row, failure)))) throw SearchOver(uuid);
  },
  abandon: async (world, { uuid }, failure) => {
    const reason = lastError(row, failure);
    await failAllocation(world, uuid, reason);
    return reason;
  },
});
