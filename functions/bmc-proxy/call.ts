/** What one invocation works with. */
import type { z } from 'zod';

import type { Operation, operations, Reply } from '../../layers/bmc/operations.ts';
import type { BmcRecord, BmcRecords } from '../../layers/bmc/records.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';

/** All IP addresses of a host name, as the resolver gives them. */
export type Resolve = (host: string) => Promise<string[]>;

export type Deps = Pick<Platform, 'opener' | 'sealer' | 'log' | 'clock' | 'wire'> & {
  readonly records: BmcRecords;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
};

/** The params of an operation with their defaults filled in. */
export type Parsed<O extends Operation> = z.output<(typeof operations)[O]['in']>;

export type Call<O extends Operation = Operation> = Required<Deps> & {
  readonly config: Config;
  readonly record: BmcRecord;
  readonly generation: number;
  readonly operation: { readonly op: O; readonly op_id: string };
  readonly params: Parsed<O>;
  /** When to answer `pending`, milliseconds since the epoch. */
  readonly end: number;
  /** Opens a sealed value of the node; undefined if there is none. What was opened is kept out of every message. */
  open(name: string): Promise<string | undefined>;
  /** Keeps a value that came with the request out of every message, as BMCs repeat what they refuse. */
  conceal(value: string): void;
  /** A text without what was opened or concealed, such as is kept for a later message. */
  redact(text: string): string;
};

export type Implementation = { readonly [O in Operation]: (call: Call<O>) => Promise<Reply<O>> };

/** The machine is as it was asked to be. `quirks` are the names of the rows that the work was done under. */
export const done = <O extends Operation>(
  observed: Extract<Reply<O>, { status: 'done' }>['observed'],
  quirks: readonly string[] = [],
): Reply<O> => ({ status: 'done', observed, quirks });

/** Asked for and not yet so; `reason` is shown to people. */
export const pending = (reason: string, seconds = 5): { status: 'pending'; poll_after_s: number; reason: string } => ({
  status: 'pending',
  poll_after_s: seconds,
  reason,
});
