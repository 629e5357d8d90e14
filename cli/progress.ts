/** How far a command is: a bar on a terminal, otherwise a line now and then. */
import type { World } from './command.ts';

export type Progress = { step(): void; end(): void };

/** Milliseconds between two looks of a person, and between two lines of a log. */
const every = { bar: 100, line: 10_000 };
const width = 30;

/** `total` steps of `what`, undefined: nobody knows how many; work that is done before the first line is due tells nothing. */
export const createProgress = (
  total: number | undefined,
  what: string,
  { now, print, draw }: Pick<World, 'now' | 'print' | 'draw'>,
): Progress => {
  let done = 0;
  let last = now();

  const text = (): string => (total === undefined ? `${done} ${what}` : `${done} of ${total} ${what}`);
  const bar = (): string => {
    if (total === undefined) return `\r${text()}`;
    const full = total === 0 ? width : Math.min(width, Math.floor((done / total) * width));
    return `\r[${'#'.repeat(full)}${' '.repeat(width - full)}] ${text()}`;
  };
  const tell = (): void => {
    if (draw) draw(bar());
    else print(text());
  };

  return {
    step: () => {
      done += 1;
      if (now() - last < (draw ? every.bar : every.line)) return;
      last = now();
      tell();
    },
    // What comes next begins on a clean line.
    end: () => draw?.(`\r${' '.repeat(bar().length)}\r`),
  };
};
