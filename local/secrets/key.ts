/** Keys of one machine: 32 random bytes in a file of their own that only its owner may read. */
import { randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { Fault, Unavailable } from '../../layers/domain/fault.ts';

const Damaged = (path: string) =>
  new Fault(
    'Damaged',
    500,
    `The key file ${path} is damaged: put back a copy. Without it, what was sealed or signed with it is lost; ` +
      'to go on without, move it away and set the BMC passwords of all nodes again.',
  );

const code = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Linking a finished file fails if there is one already: of many threads that start together, one makes the key. */
const makeKey = (path: string): void => {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${randomUUID()}`);
  try {
    writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if (code(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
};

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** The key in a file, made at first use (mode 0600). Throws Damaged (500), Unavailable (503) when it cannot be read. */
export const readKey = (path: string): Buffer => {
  try {
    if (readText(path) === undefined) makeKey(path);
    const text = readText(path) ?? '';
    const key = Buffer.from(text, 'base64');
    if (key.length !== 32 || key.toString('base64') !== text.trim()) throw Damaged(path);
    return key;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw Unavailable(`The key file ${path} cannot be used (${(error as Error).message}).`, error);
  }
};
