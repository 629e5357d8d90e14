/** The one log of an installation: JSON lines in the state directory, appended, started anew when it is large. */
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

import { systemClock } from '../layers/platform/clock.ts';
import { createLog } from '../layers/platform/log.ts';
import type { Log } from '../layers/platform/platform.ts';

/** Past this size the next start puts the log aside as `<path>.1`. */
const maxBytes = 50 * 1024 * 1024;

export type LogFile = {
  /** A log that writes as `service`. */
  log(service: string): Log;
  /** Takes a line that another thread or process wrote. What is not JSON becomes the message of a line that is. */
  line(service: string, line: string): void;
  close(): void;
};

/** Opens the log at `path`. */
export const openLogFile = (path: string): LogFile => {
  if (existsSync(path) && statSync(path).size > maxBytes) renameSync(path, `${path}.1`);
  const file = openSync(path, 'a', 0o600);
  let isOpen = true;
  const write = (text: string): void => {
    if (isOpen) writeSync(file, text);
  };
  const log = (service: string): Log => createLog({ service, clock: systemClock, write });
  return {
    log,
    line: (service, line) => {
      if (line.startsWith('{')) write(`${line}\n`);
      else if (line !== '') log(service).info(line);
    },
    close: () => {
      isOpen = false;
      closeSync(file);
    },
  };
};
