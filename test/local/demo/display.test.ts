import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createDisplay, type Display } from '../../../local/demo/display.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  display.close();
  vi.useRealTimers();
});

let display: Display;

const open = (size: { rows?: number; columns?: number } = {}, isTTY = true, colour = false) => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY, ...size };
  display = createDisplay({ stream, colour, now: () => Date.now() });
  return written;
};

it('writes one plain line for each change when there is no terminal', () => {
  const written = open({}, false);
  display.say('Hello');
  display.show('m0001', 'deploy: PowerOff');
  display.show('m0001', 'deploy: PowerOff');
  vi.advanceTimersByTime(1500);
  display.show('m0001', 'active', 'good');
  display.finish('m0001  deploy: PowerOff');
  display.tell('bad', 'the disk is empty');
  expect(written.join('')).toBe(
    ['Hello', '     0.0 s  m0001  deploy: PowerOff', '     1.5 s  m0001  active', '  FAIL the disk is empty', ''].join(
      '\n',
    ),
  );
});

it('has no control characters without a terminal, and no colours when they are not wanted', () => {
  const plain = open({}, false, true);
  display.show('a', 'b');
  const terminal = open({}, true, false);
  display.show('a', 'b', 'good');
  expect(plain.join('')).not.toContain('\u001B');
  expect(terminal.join('')).not.toContain('\u001B[3');
  open({}, true, true);
});

it('keeps a line a machine at the bottom and draws it anew below what is said', () => {
  const written = open();
  display.show('m0001', 'manage');
  display.show('m0002', 'available', 'good');
  written.length = 0;
  display.say('Deploying');
  expect(written.join('')).toBe('\u001B[2A\u001B[JDeploying\n  ⠋ m0001  manage  0.0 s\n  ✔ m0002  available\n');
});

it('moves and counts while a machine is at work, and rests when none is', () => {
  const written = open();
  display.show('m0001', 'clean: WaitForAgent');
  vi.advanceTimersByTime(1100);
  expect(written.at(-1)).toContain('1.1 s');
  display.show('m0001', 'available', 'good');
  written.length = 0;
  vi.advanceTimersByTime(1000);
  expect(written).toEqual([]);
});

it('shows as many machines as there are rows, those at work first, and cuts what would wrap', () => {
  const written = open({ rows: 6, columns: 20 });
  for (let n = 1; n <= 9; n += 1)
    display.show(`m${n}`, n === 9 ? 'a very long phase name' : 'available', n === 9 ? 'busy' : 'good');
  const picture = written.at(-1)!.split('\u001B[J').at(-1)!.trimEnd().split('\n');
  expect(picture).toHaveLength(3);
  expect(picture[0]).toMatch(/m9 {2}a very lon…$/);
  expect(picture[2]).toBe('    and 7 more');
});

it('takes a terminal that says it has no size for one of the usual size', () => {
  const written = open({ rows: 0, columns: 0 });
  display.show('m0001', 'deploy: PowerOff');
  display.show('m0002', 'deploy: PowerOn');
  expect(written.join('')).toContain('m0001  deploy: PowerOff');
  expect(written.join('')).not.toContain('more');
});
