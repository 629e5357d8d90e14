/**
 * What the function host and its worker threads say to each other. Payloads and results cross as JSON text, as they
 * do on Lambda: what JSON cannot carry does not arrive here either, and the size limits mean the same.
 */
import type { MessagePort } from 'node:worker_threads';

import type { FunctionRow } from '../../infra/manifest.ts';
import type { CalledApi } from '../../layers/platform/apis.ts';

/** What a worker needs to build its platform; an absent one is refused when the function asks for it. */
export type Wiring = {
  /** The database file that readers open, and keep some of (local/table/table.ts); writes go through the port. */
  readonly table?: { readonly path: string; readonly writer: MessagePort; readonly keeps?: number };
  readonly workflows?: MessagePort;
  readonly functions?: MessagePort;
  readonly events?: MessagePort;
  readonly objects?: { readonly folder: string; readonly key: string; readonly base: string };
  /** The file that holds the key of sealed values. */
  readonly secrets?: string;
  /** Where each API is that functions call, and the file with what is proved there; empty: nothing is. */
  readonly apis?: Readonly<Record<CalledApi, { readonly endpoint: string; readonly credentials: string }>>;
};

export type WorkerData = {
  readonly name: string;
  readonly row: FunctionRow;
  /** URL of the function's folder, with a trailing slash. */
  readonly folder: string;
  readonly wiring: Wiring;
};

/** `deadline`: milliseconds since the epoch at which the invocation is given up. */
export type InvocationMessage = {
  readonly id: number;
  readonly request_id: string;
  readonly deadline: number;
  readonly payload: string;
};

/** Lambda's form of a failed invocation. */
export type Failure = { readonly errorType: string; readonly errorMessage: string };

export type WorkerMessage =
  | { readonly ready: true }
  /** `body` is that of an HTTP answer, taken out of the result: JSON inside of JSON costs more than making it did. */
  | { readonly id: number; readonly result: string; readonly body?: string }
  | { readonly id: number; readonly failure: Failure };
