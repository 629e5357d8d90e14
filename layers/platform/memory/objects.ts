/** Objects in memory. Links lead to `https://objects.test` and are followed with `request`. */
import { createHash } from 'node:crypto';

import { NotFound } from '../../domain/fault.ts';
import type { Clock } from '../platform.ts';
import { checksumHeader, inBase64, type ObjectBody, type Objects } from '../objects.ts';

/** `checksum`: that of what may be put, in base64. */
type Link = {
  readonly key: string;
  readonly method: 'GET' | 'PUT';
  readonly expires: number;
  readonly checksum?: string;
  /** Of how many bytes. */
  readonly size?: number;
};

export type MemoryObjects = Objects & {
  keys(): string[];
  /** What the holder of a link would see. */
  request(
    method: string,
    url: string,
    body?: ObjectBody,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: ObjectBody | undefined }>;
};

export const createMemoryObjects = (clock: Pick<Clock, 'now'>): MemoryObjects => {
  const objects = new Map<string, ObjectBody>();
  const times = new Map<string, number>();
  const store = (key: string, body: ObjectBody) => {
    objects.set(key, Uint8Array.from(body));
    times.set(key, clock.now());
  };
  const links = new Map<string, Link>();
  const made = (link: Link): string => {
    const url = `https://objects.test/${link.key}?signature=${String(links.size + 1).padStart(8, '0')}`;
    links.set(url, link);
    return url;
  };
  return {
    keys: () => [...objects.keys()].sort(),
    put: async (key, body) => store(key, body),
    assemble: async (key, parts) => {
      const missing = parts.find((part) => !objects.has(part));
      if (missing !== undefined) throw NotFound(`There is no object ${missing}.`);
      store(key, Buffer.concat(parts.map((part) => objects.get(part)!)));
    },
    get: async (key) => objects.get(key)?.slice(),
    size: async (key) => objects.get(key)?.byteLength,
    list: async (prefix) =>
      [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key, put_at: times.get(key)! })),
    remove: async (key) => void objects.delete(key),
    link: async (key, seconds) => made({ key, method: 'GET', expires: clock.now() + seconds * 1000 }),
    uploadLink: async (key, { sha256, size }, seconds) => {
      const headers = sha256 === undefined ? {} : { [checksumHeader]: inBase64(sha256) };
      const checksum = headers[checksumHeader];
      const promised = { ...(checksum && { checksum }), ...(size !== undefined && { size }) };
      return { url: made({ key, method: 'PUT', expires: clock.now() + seconds * 1000, ...promised }), headers };
    },
    request: async (method, url, body = new Uint8Array(), headers = {}) => {
      const link = links.get(url);
      if (!link || link.method !== method || link.expires <= clock.now()) return { status: 403, body: undefined };
      if (link.size !== undefined && link.size !== body.byteLength) return { status: 403, body: undefined };
      if (link.checksum !== undefined) {
        if (headers[checksumHeader] !== link.checksum) return { status: 403, body: undefined };
        const has = createHash('sha256').update(body).digest('base64');
        if (has !== link.checksum) return { status: 400, body: undefined };
      }
      if (method === 'PUT') store(link.key, body);
      const stored = objects.get(link.key);
      return stored ? { status: 200, body: stored.slice() } : { status: 404, body: undefined };
    },
  };
};
