/** Where records are moved to: the import operation of a Bare Metal API (ADR 22), in batches that may come again. */
import * as z from 'zod';

import { Fault } from '../layers/domain/fault.ts';
import { faultstringOf, patiently, type Reply, type Service } from './service.ts';

export type ImportRecord = { readonly kind: string; readonly record: Readonly<Record<string, unknown>> };

/** What an import answers of a record. */
export const outcome = z.object({
  outcome: z.enum(['created', 'unchanged', 'conflict', 'refused']),
  reason: z.string().optional(),
});
/** What became of a record. `reason`: why it is not there as it was brought. */
export type Outcome = z.output<typeof outcome>;

export type Target = {
  /** In the order of the records, in requests that it takes. Throws Fault ImportFailed (502) and Unavailable (503). */
  write(records: readonly ImportRecord[]): Promise<readonly Outcome[]>;
  /** What would become of them. */
  foresee(records: readonly ImportRecord[]): Promise<readonly Outcome[]>;
};

/** Records in a request: each is a transaction, and all of them have 29 seconds on AWS. */
export const largest = 200;

/** Bytes of a request. The limit of 5 MiB counts a \\ before each " of it. */
export const largestBytes = 3 * 1024 * 1024;

/** In pieces that a request should take. */
const pieces = (records: readonly ImportRecord[]): ImportRecord[][] => {
  const all: ImportRecord[][] = [];
  let bytes = Infinity;
  for (const one of records) {
    const own = Buffer.byteLength(JSON.stringify(one));
    const last = all.at(-1);
    if (last === undefined || last.length >= largest || bytes + own > largestBytes) {
      all.push([one]);
      bytes = own;
    } else {
      last.push(one);
      bytes += own;
    }
  }
  return all;
};

/** A request that is refused because of what is in it: too large, nested too deep. */
const refused: readonly number[] = [400, 413];

const answer = z.object({ results: z.array(outcome) });

const Failed = ({ status, body }: Reply): Fault =>
  new Fault('ImportFailed', 502, `The Bare Metal API answered an import with ${status}: ${faultstringOf(body)}`);

const reasonOf = ({ status, body }: Reply): string =>
  `no request takes this record, which was answered with ${status}: ${faultstringOf(body)}`;

const headers = { 'OpenStack-API-Version': 'baremetal latest', 'X-OpenStack-Ironic-API-Version': 'latest' };

/** `sleep` takes milliseconds. A batch that nobody answered comes again: what of it was written is told as unchanged. */
export const createTarget = (baremetal: Service, sleep: (ms: number) => Promise<unknown>): Target => {
  const ask = async (body: object): Promise<Reply> =>
    patiently(async () => baremetal('POST', '/v1/imports', { headers, body }), sleep);
  const send = async (records: readonly ImportRecord[], how: object): Promise<readonly Outcome[]> => {
    const reply = await ask({ records, ...how });
    if (refused.includes(reply.status)) {
      if (records.length === 1) return [{ outcome: 'refused', reason: reasonOf(reply) }];
      // One of them it is: the others go on.
      const half = Math.ceil(records.length / 2);
      return [...(await send(records.slice(0, half), how)), ...(await send(records.slice(half), how))];
    }
    const { data } = answer.safeParse(reply.body);
    if (reply.status !== 200 || data?.results.length !== records.length) throw Failed(reply);
    return data.results;
  };
  const sendAll = async (records: readonly ImportRecord[], how: object): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const piece of pieces(records)) outcomes.push(...(await send(piece, how)));
    return outcomes;
  };
  return {
    write: async (records) => sendAll(records, {}),
    foresee: async (records) => sendAll(records, { dry_run: true }),
  };
};
