/**
 * The entry of the table thread. `workerData` is `{ path }`; every MessagePort it is sent is served with `Writer`
 * (local/rpc.ts). Says `{ ready: true }` once the file is open, or `{ failure: <sentence> }` and ends.
 */
import { MessagePort, parentPort, workerData } from 'node:worker_threads';

import { isFault } from '../../layers/domain/fault.ts';
import { serve } from '../rpc.ts';
import { createWriter, type OwnWriter } from './writer.ts';

export type Hello = { readonly ready: true } | { readonly failure: { name: string; code: number; message: string } };

const port = parentPort!;
const { path } = workerData as { path: string };
const say = (hello: Hello) => port.postMessage(hello);

const work = (writer: OwnWriter): void => {
  port.on('message', (message: MessagePort | 'stop') => {
    if (message instanceof MessagePort) serve(message, { write: writer.write });
    // Whoever asked last is answered before the thread ends, so nothing that was committed is in doubt.
    else void writer.close().then(() => setImmediate(() => process.exit(0)));
  });
  say({ ready: true });
};

try {
  work(createWriter(path));
} catch (error) {
  if (!isFault(error)) throw error;
  say({ failure: { name: error.name, code: error.code, message: error.message } });
}
