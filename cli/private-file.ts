/** Files that a command writes for its operator: whole or not at all, and for nobody else to read. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';

/**
 * Where a file goes piece by piece; nowhere without a path. It has its name only when it is whole. Only its owner may read
 * it: it tells addresses, or has passwords in it. Throws Invalid.
 */
export const privateFile = (path: string | undefined) => {
  if (path === undefined) return { write: () => undefined, end: () => undefined };
  const part = `${path}.part`;
  try {
    // What is there already may be readable by everybody, or lead elsewhere: only a new file is written to.
    rmSync(part, { force: true });
    const file = openSync(part, 'wx', 0o600);
    const end = () => {
      fsyncSync(file);
      closeSync(file);
      renameSync(part, path);
    };
    return { write: (text: string) => writeFileSync(file, text), end };
  } catch (error) {
    throw Invalid(`The file ${part} can not be written: ${(error as NodeJS.ErrnoException).code}.`, error);
  }
};
