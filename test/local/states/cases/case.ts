import type { Script } from '../world.ts';

/** One row of the tables beside this file: a machine, what it is given, and what must come of it. */
export type Case = {
  /** A sentence about the Amazon States Language. */
  readonly says: string;
  /** The states; the first is where the machine starts. */
  readonly states: object;
  /** Top-level fields of the machine. */
  readonly more?: object;
  readonly input?: object;
  readonly script?: Script;
  /** What `$random()` and jitter get, in [0, 1). */
  readonly fraction?: number;
  readonly output?: unknown;
  /** The error of an execution that fails, and words of its cause. */
  readonly error?: string;
  readonly cause?: string;
  /** It ends without error and cause. */
  readonly silent?: boolean;
  readonly status?: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'RUNNING';
  /** The states entered, in order. */
  readonly entered?: readonly string[];
  /** The types of the whole history, in words. */
  readonly types?: string;
  /** How long it took, in virtual seconds. */
  readonly seconds?: number;
  /** Our stricter words or its known gaps: why asl-validator does not see this machine as valid. */
  readonly validator?: string;
};
