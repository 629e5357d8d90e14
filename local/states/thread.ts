/**
 * Entry of the states thread. What it is given comes from `start.ts`; its first message says that it is ready, or
 * why it is not.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

import type { Functions } from '../../layers/platform/platform.ts';
import { connect, serve } from '../rpc.ts';
import { loadDefinition } from './definition.ts';
import { openJournal } from './journal.ts';
import { createStates } from './states.ts';

export type ThreadData = {
  /** Path of the SQLite file. */
  readonly journal: string;
  /** ASL text by workflow. */
  readonly definitions: { readonly [workflow: string]: string };
  /** Values of `${name}` in the texts. */
  readonly substitutions: Readonly<Record<string, string>>;
  /** `Functions` is served on the other side. */
  readonly functions: MessagePort;
  /** Gets every `StateEvent`. */
  readonly events: MessagePort;
};

/** `attach` hands over a port on which the thread then serves `States`. */
export type ToThread = { readonly attach: MessagePort };
export type FromThread =
  | { readonly ready: true }
  | { readonly failed: { readonly name: string; readonly message: string } };

const load = async ({ definitions, substitutions }: ThreadData) =>
  Promise.all(
    Object.entries(definitions).map(async ([workflow, text]) =>
      loadDefinition(workflow, `${workflow}.asl.json`, text, substitutions),
    ),
  );

const run = async (data: ThreadData): Promise<FromThread> => {
  try {
    const loaded = await load(data);
    const states = createStates({
      journal: openJournal(data.journal),
      definitions: loaded,
      functions: connect<Functions>(data.functions),
      onEvent: (event) => data.events.postMessage(event, []),
    });
    parentPort!.on('message', ({ attach }: ToThread) => serve(attach, states));
    return { ready: true };
  } catch (error) {
    const { name, message } = error as Error;
    return { failed: { name, message } };
  }
};

const first = await run(workerData as ThreadData);
parentPort!.postMessage(first, []);
