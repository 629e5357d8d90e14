/** Objects in memory. Links lead to `https://objects.test` and are followed with `request`. */
import type { Clock } from '../platform.ts';
import type { ObjectBody, Objects } from '../objects.ts';

type Link = { readonly key: string; readonly method: 'GET' | 'PUT'; readonly expires: number };

export type MemoryObjects = Objects & {
  keys(): string[];
  /** What the holder of a link would see. */
  request(method: string, url: string, body?: ObjectBody): Promise<{ status: number; body: ObjectBody | undefined }>;
};

export const createMemoryObjects = (clock: Pick<Clock, 'now'>): MemoryObjects => {
  const objects = new Map<string, ObjectBody>();
  const times = new Map<string, number>();
  const store = (key: string, body: ObjectBody) => {
    objects.set(key, Uint8Array.from(body));
    times.set(key, clock.now());
  };
  const links = new Map<string, Link>();
  return {
    keys: () => [...objects.keys()].sort(),
    put: async (key, body) => store(key, body),
    get: async (key) => objects.get(key)?.slice(),
    size: async (key) => objects.get(key)?.byteLength,
    list: async (prefix) =>
      [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key, put_at: times.get(key)! })),
    remove: async (key) => void objects.delete(key),
    link: async (key, method, seconds) => {
      const url = `https://objects.test/${key}?signature=${String(links.size + 1).padStart(8, '0')}`;
      links.set(url, { key, method, expires: clock.now() + seconds * 1000 });
      return url;
    },
    request: async (method, url, body = new Uint8Array()) => {
      const link = links.get(url);
      if (!link || link.method !== method || link.expires <= clock.now()) return { status: 403, body: undefined };
      if (method === 'PUT') store(link.key, body);
      const stored = objects.get(link.key);
      return stored ? { status: 200, body: stored.slice() } : { status: 404, body: undefined };
    },
  };
};
