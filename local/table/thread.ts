/**
 * The entry of the table thread. `workerData` is `{ path, followed }`; every MessagePort it is sent is served with
 * `Writer`, or with `Feed` (local/rpc.ts). Says `{ ready: true }` once the file is open, or `{ failure: <sentence> }` and
 * ends; says `changed` when something was logged.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';

import { isFault } from '../../layers/domain/fault.ts';
import { serve } from '../rpc.ts';
import type { Feed, Followed } from './feed.ts';
import { createWriter, type OwnWriter } from './writer.ts';

export type Hello = { readonly ready: true } | { readonly failure: { name: string; code: number; message: string } };

/** A port to one of the two, or the end. */
export type Order = { readonly serve: 'writer' | 'feed'; readonly port: MessagePort } | 'stop';

const port = parentPort!;
const { path, followed } = workerData as { path: string; followed?: Followed };
const say = (hello: Hello) => port.postMessage(hello);

/** Once it was said that something changed, it is not said again until somebody looked. */
const createNotice = () => {
  let isSaid = false;
  const onChange = (): void => {
    if (!isSaid) port.postMessage('changed');
    isSaid = true;
  };
  const noticed = (feed: Feed): Feed => ({
    ...feed,
    changes: async (limit) => {
      isSaid = false;
      return feed.changes(limit);
    },
  });
  return { onChange, noticed };
};

const work = (writer: OwnWriter, feed: Feed): void => {
  port.on('message', (message: Order) => {
    if (message !== 'stop') serve(message.port, message.serve === 'feed' ? feed : { write: writer.write });
    // Whoever asked last is answered before the thread ends, so nothing that was committed is in doubt.
    else void writer.close().then(() => setImmediate(() => process.exit(0)));
  });
  say({ ready: true });
};

try {
  const { onChange, noticed } = createNotice();
  const writer = createWriter(path, undefined, followed && { followed, onChange });
  work(writer, noticed(writer.feed));
} catch (error) {
  if (!isFault(error)) throw error;
  say({ failure: { name: error.name, code: error.code, message: error.message } });
}
