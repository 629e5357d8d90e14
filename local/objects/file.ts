/** Objects as files of one folder. An object is written beside, synced, and then renamed: it is there whole or not. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { Invalid, TooLarge } from '../../layers/domain/fault.ts';

const partial = '.partial-';

/** Names with letters, digits, `_ . -`, joined by slashes; none begins with a dot. */
const keyForm = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

/** The file of an object. Slashes become part of its name, so no key leads out of the folder. Throws Invalid (400). */
export const fileOf = (folder: string, key: string): string => {
  if (!keyForm.test(key) || key.length > 200) {
    throw Invalid('An object key has 1 to 200 letters, digits, _ . - and / in it, and no part that begins with a dot.');
  }
  return join(folder, key.replaceAll('/', '%2F'));
};

/** The object of a file; undefined for what is none. */
export const keyOf = (name: string): string | undefined =>
  name.startsWith(partial) ? undefined : name.replaceAll('%2F', '/');

/** Whether a file operation failed because there is no such file. */
export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The refusal (413) of an object that is too large to be kept. */
export const tooLarge = (maxBytes: number) => TooLarge(`An object may have at most ${maxBytes} bytes here.`);

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const writeParts = async (path: string, parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number) => {
  const handle = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const part of parts) {
      bytes += part.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      await handle.write(part);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Stores an object, on disk when it returns. Throws TooLarge (413) past `maxBytes`; then nothing is stored. */
export const save = async (
  folder: string,
  key: string,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes = Infinity,
): Promise<void> => {
  const file = fileOf(folder, key);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${partial}${randomUUID()}`);
  try {
    await writeParts(draft, parts, maxBytes);
    await rename(draft, file);
    await syncFolder(folder);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

/** Removes what a killed process left half written. To be called while nobody writes. */
export const removePartials = async (folder: string): Promise<void> => {
  const names = await readdir(folder).catch(() => []);
  const left = names.filter((name) => name.startsWith(partial));
  await Promise.all(left.map(async (name) => rm(join(folder, name), { force: true })));
};
