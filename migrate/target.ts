/** Where records are moved to: the import operation of a Bare Metal API (ADR 22), in batches that may come again. */
import * as z from 'zod';

import { Fault, isFault } from '../layers/domain/fault.ts';
import { faultstringOf, type Reply, type Service } from './service.ts';

export type ImportRecord = { readonly kind: string; readonly record: Readonly<Record<string, unknown>> };

/** What an import answers of a record. */
export const outcome = z.object({
  outcome: z.enum(['created', 'unchanged', 'conflict', 'refused']),
  reason: z.string().optional(),
});
/** What became of a record. `reason`: why it is not there as it was brought. */
export type Outcome = z.output<typeof outcome>;

export type Target = {
  /** In the order of the records, at most `largest` of them. Throws Fault ImportFailed (502) and Unavailable (503). */
  write(records: readonly ImportRecord[]): Promise<readonly Outcome[]>;
};

/** Records in a request: each is a transaction, and all of them have 29 seconds on AWS. */
export const largest = 200;

const answer = z.object({ results: z.array(outcome) });

/** Milliseconds. */
const pauses = [1, 2, 4, 8, 15, 30, 60].map((seconds) => seconds * 1000);

const mayBeBetterLater = ({ status }: Reply): boolean => status === 429 || status >= 500;

/** Asks again, for two minutes together, while nobody answers or an answer may be a better one later. */
export const patiently = async (ask: () => Promise<Reply>, sleep: TargetOptions['sleep']): Promise<Reply> => {
  for (const pause of pauses) {
    try {
      const reply = await ask();
      if (!mayBeBetterLater(reply)) return reply;
    } catch (error) {
      if (!isFault(error) || error.name !== 'Unavailable') throw error;
    }
    await sleep(pause);
  }
  return ask();
};

const Failed = ({ status, body }: Reply): Fault =>
  new Fault('ImportFailed', 502, `The Bare Metal API answered an import with ${status}: ${faultstringOf(body)}`);

const headers = { 'OpenStack-API-Version': 'baremetal latest', 'X-OpenStack-Ironic-API-Version': 'latest' };

export type TargetOptions = {
  /** Nothing is written, and `created` is what would be. */
  readonly dry_run?: boolean;
  /** Takes milliseconds. */
  sleep(ms: number): Promise<unknown>;
};

/** A batch that nobody answered comes again: what of it was written is told as unchanged. */
export const createTarget = (baremetal: Service, { dry_run = false, sleep }: TargetOptions): Target => {
  return {
    write: async (records) => {
      const body = { records, ...(dry_run && { dry_run }) };
      const reply = await patiently(async () => baremetal('POST', '/v1/imports', { headers, body }), sleep);
      const { data } = answer.safeParse(reply.body);
      if (reply.status !== 200 || data?.results.length !== records.length) throw Failed(reply);
      return data.results;
    },
  };
};
