/** Log lines of one machine: one JSON object a line. On AWS `aws/log.ts` writes the same through powertools. */
import type { Clock, Log } from './platform.ts';

export type LogOptions = {
  /** Who writes: the name of the function or part. */
  readonly service: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Takes one line with its newline; default is standard error. */
  readonly write?: (line: string) => void;
};

/** An error as a log may show it: name, message and stack of the whole chain of causes. */
const plain = (value: unknown): unknown =>
  value instanceof Error
    ? {
        name: value.name,
        message: value.message,
        stack: value.stack,
        ...(value.cause !== undefined && { cause: plain(value.cause) }),
      }
    : value;

/** A log that writes `{level, time, service, message, ...fields}`; errors among the fields are spelled out. */
export const createLog = ({ service, clock, write = (line) => process.stderr.write(line) }: LogOptions): Log => {
  const entry =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const time = new Date(clock.now()).toISOString();
      write(`${JSON.stringify({ ...fields, level, time, service, message }, (_key, value) => plain(value))}\n`);
    };
  return { info: entry('info'), warn: entry('warn'), error: entry('error') };
};
