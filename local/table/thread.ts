/**
 * The entry of the table thread. `workerData` is `{ path, followed }`; every MessagePort it is sent is served with
 * `Writer`, or with `Feed` (local/rpc.ts). Says `{ ready: true }` once the file is open, or `{ failure: <sentence> }` and
 * ends; says `changed` when something was logged.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

import { isFault } from '../../layers/domain/fault.ts';
import { serve } from '../rpc.ts';
import type { Followed } from './feed.ts';
import { createWriter, type OwnWriter } from './writer.ts';

export type Hello = { readonly ready: true } | { readonly failure: { name: string; code: number; message: string } };

/** A port to one of the two, or the end. */
export type Order = { readonly serve: 'writer' | 'feed'; readonly port: MessagePort } | 'stop';

const port = parentPort!;
const { path, followed } = workerData as { path: string; followed?: Followed };
const say = (hello: Hello) => port.postMessage(hello);

const work = (writer: OwnWriter): void => {
  port.on('message', (message: Order) => {
    if (message !== 'stop') serve(message.port, message.serve === 'feed' ? writer.feed : { write: writer.write });
    // Whoever asked last is answered before the thread ends, so nothing that was committed is in doubt.
    else void writer.close().then(() => setImmediate(() => process.exit(0)));
  });
  say({ ready: true });
};

try {
  work(createWriter(path, undefined, followed && { followed, onChange: () => port.postMessage('changed') }));
} catch (error) {
  if (!isFault(error)) throw error;
  say({ failure: { name: error.name, code: error.code, message: error.message } });
}
