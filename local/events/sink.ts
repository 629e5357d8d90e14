/**
 * Where `--events` sends what is published: a file, one JSON text a line, or a URL, a JSON list a request. Paths and
 * queries of URLs may be what a receiver knows its callers by, so no message has more of one than where it leads to.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Sink } from './consumer.ts';

/** Whether the file ends in the middle of a line. */
const isTorn = async (file: FileHandle, size: number): Promise<boolean> => {
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
};

/**
 * The file is opened for each batch, so that it may be moved away at any time; what was sent is on disk. A line in which
 * Ingot died comes again whole, below.
 */
const fileSink = (path: string): Sink => ({
  label: path,
  send: async (events) => {
    const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
    try {
      const found = await file.stat();
      const begin = found.isFile() && (await isTorn(file, found.size)) ? '\n' : '';
      await file.appendFile(begin + events.map((event) => `${event}\n`).join(''));
      if (found.isFile()) await file.datasync();
    } finally {
      await file.close();
    }
  },
});

/** How long a receiver may take, ms. */
const patience = 30_000;

/** Names and passwords are not for URLs, which is why fetch refuses them there. */
const basicAuth = ({ username, password }: URL): Record<string, string> =>
  username === '' && password === ''
    ? {}
    : {
        Authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      };

const urlSink = (url: URL): Sink => {
  const label = url.origin;
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const headers = { 'Content-Type': 'application/json', ...basicAuth(url) };
  return {
    label,
    send: async (events) => {
      const request = { method: 'POST', headers, body: `[${events.join(',')}]`, redirect: 'manual' as const };
      const answer = await fetch(bare, { ...request, signal: AbortSignal.timeout(patience) }).catch((error: Error) => {
        // The cause of a failed fetch says why: refused, unknown host, a certificate.
        const { code = error.name } = (error.cause ?? {}) as { code?: string };
        throw new Fault('Unavailable', 503, `${label} could not be reached (${code}).`);
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Fault('Unavailable', 503, `${label} answered ${answer.status}.`);
    },
  };
};

/** The sink of that file or URL (http, https). Throws Invalid for a URL that cannot be read. */
export const createSink = (target: string): Sink => {
  if (!/^https?:/i.test(target)) return fileSink(target);
  if (!URL.canParse(target)) throw Invalid('--events has to be a file or a URL, and this URL cannot be read.');
  return urlSink(new URL(target));
};
