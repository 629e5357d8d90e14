/** The objects of one machine: files in a folder, and links that the gateway serves (`serve.ts`). */
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';

import { NotFound } from '../../layers/domain/fault.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { checksumHeader, inBase64, type Listed, type Objects } from '../../layers/platform/objects.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import { readKey } from '../secrets/key.ts';
import { fileOf, isMissing, keyOf, save } from './file.ts';
import { type Claim, makeLink } from './link.ts';

export type ObjectsOptions = {
  readonly folder: string;
  /** The file with the key that signs links; made at first use. */
  readonly key: string;
  /** How the gateway is reached by those who get links, such as `http://127.0.0.1:6385`. */
  readonly base: string;
  readonly clock?: Pick<Clock, 'now'>;
};

const unlessMissing = (error: unknown): undefined => {
  if (isMissing(error)) return undefined;
  throw error;
};

const listFiles = async (folder: string, prefix: string): Promise<Listed[]> => {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const keys = names.map(keyOf).filter((key) => key?.startsWith(prefix)) as string[];
  const found = keys.map(async (key): Promise<Listed[]> => {
    const file = await stat(fileOf(folder, key)).catch(unlessMissing);
    return file ? [{ key, put_at: file.mtimeMs }] : [];
  });
  return (await Promise.all(found)).flat();
};

/** The content of one object after the other. Throws NotFound (404). */
async function* contents(folder: string, keys: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const key of keys) {
    const file = await open(fileOf(folder, key)).catch(unlessMissing);
    if (!file) throw NotFound(`There is no object ${key}.`);
    yield* file.createReadStream();
  }
}

/**
 * Any number of threads may open the same folder. The content type of an object is not kept; all are served as
 * application/octet-stream. Throws Damaged (500) for a broken key file; the methods Invalid (400) for a bad object key.
 */
export const createObjects = ({ folder, key: keyFile, base, clock = systemClock }: ObjectsOptions): Objects => {
  const secret = readKey(keyFile);
  const linkFor = (claim: Omit<Claim, 'expires'>, seconds: number): string => {
    fileOf(folder, claim.key);
    return makeLink(base, secret, { ...claim, expires: String(Math.floor(clock.now() / 1000) + seconds) });
  };
  return {
    put: async (key, body) => save(folder, key, [body]),
    assemble: async (key, parts) => save(folder, key, contents(folder, parts)),
    get: async (key) => readFile(fileOf(folder, key)).catch(unlessMissing),
    size: async (key) => stat(fileOf(folder, key)).then(({ size }) => size, unlessMissing),
    list: async (prefix) => listFiles(folder, prefix),
    remove: async (key) => rm(fileOf(folder, key), { force: true }),
    link: async (key, seconds) => linkFor({ key, method: 'GET' }, seconds),
    uploadLink: async (key, { sha256, size }, seconds) => {
      const headers = sha256 === undefined ? {} : { [checksumHeader]: inBase64(sha256) };
      const checksum = headers[checksumHeader];
      const claim = {
        key,
        method: 'PUT',
        ...(checksum && { checksum }),
        ...(size !== undefined && { size: String(size) }),
      };
      return { url: linkFor(claim, seconds), headers };
    },
  };
};
