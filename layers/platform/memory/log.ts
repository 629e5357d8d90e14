/** A log that keeps its lines. */
import type { Log } from '../platform.ts';

export type LogLine = {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

export const createLogRecorder = (): Log & { readonly lines: LogLine[] } => {
  const lines: LogLine[] = [];
  const entry =
    (level: LogLine['level']) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      lines.push({ level, message, fields });
    };
  return { lines, info: entry('info'), warn: entry('warn'), error: entry('error') };
};
