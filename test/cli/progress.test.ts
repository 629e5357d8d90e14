/** What an operator sees while a command works. */
import { describe, expect, it } from 'vitest';

import { createProgress } from '../../cli/progress.ts';

/** Steps that take a second each. */
const watch = (total: number | undefined, steps: number, isTerminal: boolean) => {
  let ms = 0;
  const lines: string[] = [];
  const drawn: string[] = [];
  const world = { now: () => ms, print: (line: string) => void lines.push(line) };
  const draw = (text: string) => void drawn.push(text);
  const progress = createProgress(total, 'rows', { ...world, ...(isTerminal && { draw }) });
  for (let step = 0; step < steps; step += 1) {
    ms += 1000;
    progress.step();
  }
  progress.end();
  return { lines, drawn };
};

describe('progress', () => {
  it('is a line every ten seconds where there is no terminal', () => {
    expect(watch(60, 25, false)).toEqual({ lines: ['10 of 60 rows', '20 of 60 rows'], drawn: [] });
  });

  it('is a bar on a terminal, which is gone in the end', () => {
    const { lines, drawn } = watch(4, 4, true);
    expect(lines).toEqual([]);
    expect(drawn.slice(0, 4)).toEqual([
      `\r[${'#'.repeat(7)}${' '.repeat(23)}] 1 of 4 rows`,
      `\r[${'#'.repeat(15)}${' '.repeat(15)}] 2 of 4 rows`,
      `\r[${'#'.repeat(22)}${' '.repeat(8)}] 3 of 4 rows`,
      `\r[${'#'.repeat(30)}] 4 of 4 rows`,
    ]);
    expect(drawn.at(-1)).toMatch(/^\r +\r$/);
  });

  it('is a number where nobody has counted before', () => {
    expect(watch(undefined, 10, false).lines).toEqual(['10 rows']);
    expect(watch(undefined, 1, true).drawn).toEqual(['\r1 rows', '\r       \r']);
  });

  it('keeps its width if there is more than was counted, or nothing', () => {
    expect(watch(2, 3, true).drawn[2]).toBe(`\r[${'#'.repeat(30)}] 3 of 2 rows`);
    expect(watch(0, 1, true).drawn[0]).toContain(`[${'#'.repeat(30)}]`);
  });
});
