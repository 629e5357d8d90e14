/**
 * Everything a function may touch of the world, injected at its composition root: `functions/<name>/handler.ts` on
 * AWS, `local/functions/worker.ts` on one machine, `layers/platform/memory` in tests and in the simulation. A function names the ones it uses with
 * `Pick<Ports, ...>`; the IAM role of that function grants exactly those.
 */
import type { Apis } from './apis.ts';
import type { Events } from './events.ts';
import type { Objects } from './objects.ts';
import type { Table } from './table.ts';
import type { Wire } from './wire.ts';
import type { Workflows } from './workflows.ts';

/** Calls another function and waits for its answer. Throws a Fault with the name and message the function failed with. */
export type Functions = { invoke(name: string, payload: object): Promise<unknown> };

/**
 * Envelope encryption of single values (AWS: KMS). `context` is authenticated, not secret: a sealed value opens only
 * for the node and name it was sealed for, and, if there is one, for the same recipient. Who may only seal (the API)
 * holds no right to open.
 */
export type Sealer = { seal(plain: string, context: SealContext): Promise<string> };
export type Opener = { open(sealed: string, context: SealContext): Promise<string> };
export type SealContext = { readonly node: string; readonly name: string; readonly recipient?: string };

/** Secret texts that an operator stores apart from the deployment, such as a service account (AWS: SSM; else files). */
export type ParameterStore = {
  /** Throws Fault `Configuration` (500) for one that is not there, Unavailable (503). */
  read(name: string): Promise<string>;
  /** Undefined for one that is not there. Throws Unavailable (503). */
  find(name: string): Promise<string | undefined>;
};

/** What a line says besides its words. The names that every line has are taken: a field of such a name would be lost. */
type LogFields = Readonly<Record<string, unknown>> & {
  readonly [name in 'message' | 'level' | 'service' | 'time' | 'timestamp' | 'sampling_rate']?: never;
};

/**
 * Structured log lines. Fields must never hold a secret, a presigned URL or a configdrive. `error` wakes somebody: it is
 * for what nobody expects; what callers, BMCs or a busy moment bring about is a `warn`.
 */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

/** `now` is milliseconds since the epoch. */
export type Clock = { now(): number; sleep(ms: number): Promise<void> };

/** `number` is in [0, 1): for pauses and orders that must not be the same everywhere, never for a secret. */
export type Chance = { number(): number };

/** `uuid` is random (v4); `ulid` sorts by time, also within one millisecond of one process. */
export type Ids = { uuid(): string; ulid(): string };

export type Platform = {
  readonly table: Table;
  readonly objects: Objects;
  readonly workflows: Workflows;
  readonly functions: Functions;
  readonly events: Events;
  readonly sealer: Sealer;
  readonly opener: Opener;
  readonly parameters: ParameterStore;
  readonly apis: Apis;
  readonly log: Log;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly ids: Ids;
  readonly wire: Wire;
};

/** What a function is told about the invocation it serves. */
export type Invocation = { readonly request_id: string; remaining_ms(): number };
