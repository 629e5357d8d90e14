/** What commands leave behind for machines to read, and how they show what others wrote. */
import { closeSync, openSync, renameSync, writeSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';

export type ReportFile = { write(text: string): void; end(): void };

/**
 * Where a report goes piece by piece; nowhere without a file. It has its name only when it is whole. Only its owner may
 * read it: it tells addresses. Throws Invalid.
 */
export const reportAt = (path: string | undefined): ReportFile => {
  if (path === undefined) return { write: () => undefined, end: () => undefined };
  const part = `${path}.part`;
  try {
    const file = openSync(part, 'w', 0o600);
    const end = () => {
      closeSync(file);
      renameSync(part, path);
    };
    return { write: (text) => void writeSync(file, text), end };
  } catch (error) {
    throw Invalid(`The report ${part} can not be written: ${(error as NodeJS.ErrnoException).code}.`, error);
  }
};

/** On a terminal, what a source wrote must not be more than text. */
export const plain = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (one) => `\\u${one.codePointAt(0)!.toString(16).padStart(4, '0')}`);
