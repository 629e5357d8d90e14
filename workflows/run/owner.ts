/**
 * Every run belongs to an owner, such as a node: whose record names the run, whose lock it works under, who tells what
 * became of it. An owner is known from where its run is recorded, or from the input of the execution, `{ [kind]: uuid }`
 * (ADR 15).
 */
import * as z from 'zod';

import type { Invocation, Platform } from '../../layers/platform/platform.ts';
import type { Failure } from './failure.ts';
import type { Ended, Phase } from './phase.ts';

/** A run as the record of its owner names it. */
export type RecordedRun = {
  /** Of the owner. */
  readonly uuid: string;
  readonly workflow: string;
  /** Name of its execution. */
  readonly run: string;
  /** What it is started with; undefined if nobody knows any more. */
  readonly input: object | undefined;
  /** Where it is, for people. */
  readonly phase: string;
  /** When the record was changed last, milliseconds since the epoch. */
  readonly changed_at: number;
  /** It has no execution: a client waits, and after this (milliseconds since the epoch) nobody is at it any more. */
  readonly until?: number;
};

/** What everybody uses who looks after runs, and what those do who look after machines. */
export type Needed = Pick<Platform, 'table' | 'log' | 'clock' | 'ids' | 'chance'>;
export type Keeping = Needed & Pick<Platform, 'objects'>;

/**
 * An owner as those need it who look after runs: who has some, which, and how one ends that nobody is at any more. `K`:
 * what it uses of the world for that.
 */
export type Keeper<K extends Needed = Keeping> = {
  readonly kind: string;
  /** UUIDs of those that have a run now. */
  busy(platform: K): Promise<readonly string[]>;
  /** Throws WorkflowUnknown for a run that this version can do nothing about. */
  read(platform: K, uuid: string): Promise<readonly RecordedRun[]>;
  /** Ends the run as failed. Throws Superseded if the owner has another one, NodeLocked while somebody else has the lock. */
  fail(platform: K, run: RecordedRun, failure: Failure): Promise<void>;
};

const Failed = z.object({ phase: z.string(), Error: z.string(), Cause: z.string().optional() });

/** What each state of each ASL file sends. `token` comes from states that wait, `failed` from a Catch. */
export const anyCall = z.object({
  workflow: z.string(),
  phase: z.string(),
  token: z.string().optional(),
  failed: Failed.optional(),
});

/** The same of one owner. */
export type Call = z.output<typeof anyCall> & { readonly uuid: string };

/** One call of one phase. */
export type Work<C extends Call, P> = { readonly call: C; readonly phase: P; readonly invocation: Invocation };

/**
 * An owner as the function needs it that runs its phases. `W` is what that function may touch of the world, `X` what a
 * phase works with, `O` what one may end in.
 */
export type Owner<
  W,
  C extends Call,
  P extends Phase<X, O>,
  X,
  O extends Ended,
  K extends Needed = Keeping,
> = Keeper<K> & {
  /** Of what its states send. */
  readonly call: z.ZodType<C>;
  /** By the names of the Task states; undefined if it has no such workflow. */
  phases(workflow: string): Promise<{ readonly [state: string]: P }> | undefined;
  /** Before all of it: what the call is about changes nothing, and the run waits on for the next. Default: never. */
  rests?(world: W, work: Work<C, P>): Promise<boolean>;
  /** Before the phase: the run has, or takes, what it needs to work. Throws Superseded, NodeLocked. */
  hold(world: W, work: Work<C, P>): Promise<X>;
  /** After it: what it changed and how it ended, in one write. */
  tell(world: W, work: Work<C, P>, outcome: O): Promise<void>;
  /** After it threw. Answers what the ASL is to see of that, which it retries or catches. */
  judge(world: W, work: Work<C, P>, context: X, error: unknown): Promise<unknown>;
  /** The Fail state: what only a run at work can still put right, and its end as failed. Answers its `last_error`. */
  abandon(world: W, call: C, failure: Failure, invocation: Invocation): Promise<string>;
};
