/** Files that a command writes for its operator: whole or not at all, and for nobody else to read. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';

/**
 * Where a file goes piece by piece; nowhere without a path. It has its name only when it is whole. Only its owner may read
 * it: it tells addresses. Throws Invalid.
 */
export const privateFile = (path: string | undefined) => {
  if (path === undefined) return { write: () => undefined, end: () => undefined };
  const part = `${path}.part`;
  try {
    // What is there already may be readable by everybody.
    rmSync(part, { force: true });
    const file = openSync(part, 'w', 0o600);
    const end = () => {
      closeSync(file);
      renameSync(part, path);
    };
    return { write: (text: string) => void writeSync(file, text), end };
  } catch (error) {
    throw Invalid(`The report ${part} can not be written: ${(error as NodeJS.ErrnoException).code}.`, error);
  }
};
