/**
 * Progress before the newcomer's eyes. On a terminal each machine has a line that lives at the bottom, below what was
 * said; elsewhere every change is a line of its own.
 */
import { styleText } from 'node:util';

/** As much of a terminal or file as is needed. */
export type Stream = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly rows?: number;
  readonly columns?: number;
};

export type Mark = 'busy' | 'good' | 'bad';

export type Display = {
  /** A line that stays. */
  say(text: string): void;
  /** The outcome of one check, which stays. */
  tell(mark: 'good' | 'bad', text: string): void;
  /** A finished phase, which stays; without a terminal nothing, for the line of its beginning is there already. */
  finish(text: string): void;
  /** What a machine does now; `mark` other than busy means that it rests there. */
  show(name: string, what: string, mark?: Mark): void;
  /** Leaves the last picture and stops moving. */
  close(): void;
};

export type DisplayOptions = {
  readonly stream: Stream;
  readonly colour: boolean;
  /** Milliseconds. */
  now(): number;
};

type Line = { what: string; mark: Mark; since: number };

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'.split('');
const redrawEvery = 100;
const marks = { good: '✔', bad: '✘' } as const;
const colours = { busy: 'cyan', good: 'green', bad: 'red' } as const;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Ends a line that would wrap, because a wrapped line cannot be redrawn. */
const cut = (text: string, columns: number): string =>
  text.length < columns ? text : `${text.slice(0, Math.max(0, columns - 2))}…`;

const createTerminal = ({ stream, colour, now }: DisplayOptions): Display => {
  const paint = (mark: Mark, text: string) =>
    colour ? styleText(colours[mark], text, { validateStream: false }) : text;
  const lines = new Map<string, Line>();
  let drawn = 0;
  let frame = 0;

  const picture = (): string[] => {
    // A terminal that does not know its size says 0.
    const room = Math.max(1, (stream.rows || 24) - 3);
    const columns = stream.columns || 80;
    // Whoever is at work comes first when there is not room for all.
    const all = [...lines].sort(([, a], [, b]) => Number(b.mark === 'busy') - Number(a.mark === 'busy'));
    const shown = all.length <= room ? [...lines] : all.slice(0, room - 1);
    const texts = shown.map(([name, { what, mark, since }]) => {
      const sign = mark === 'busy' ? frames[frame % frames.length]! : marks[mark];
      const time = mark === 'busy' ? `  ${seconds(now() - since)}` : '';
      return `  ${paint(mark, sign)} ${cut(`${name}  ${what}${time}`, columns - 4)}`;
    });
    return shown.length < lines.size ? [...texts, `    and ${lines.size - shown.length} more`] : texts;
  };
  const draw = (above = ''): void => {
    const wipe = drawn > 0 ? `\u001B[${drawn}A\u001B[J` : '';
    const texts = picture();
    drawn = texts.length;
    stream.write(`${wipe}${above}${texts.map((text) => `${text}\n`).join('')}`);
  };
  const timer = setInterval(() => {
    frame += 1;
    if ([...lines.values()].some(({ mark }) => mark === 'busy')) draw();
  }, redrawEvery);

  return {
    say: (text) => draw(`${text}\n`),
    tell: (mark, text) => draw(`  ${paint(mark, marks[mark])} ${text}\n`),
    finish: (text) => draw(`  ${paint('good', marks.good)} ${text}\n`),
    show: (name, what, mark = 'busy') => {
      const line = lines.get(name);
      if (line?.what === what && line.mark === mark) return;
      lines.set(name, { what, mark, since: now() });
      draw();
    },
    close: () => {
      clearInterval(timer);
      draw();
    },
  };
};

const createPlain = ({ stream, now }: DisplayOptions): Display => {
  const start = now();
  const last = new Map<string, string>();
  return {
    say: (text) => stream.write(`${text}\n`),
    tell: (mark, text) => stream.write(`  ${mark === 'good' ? 'ok  ' : 'FAIL'} ${text}\n`),
    finish: () => undefined,
    show: (name, what) => {
      if (last.get(name) === what) return;
      last.set(name, what);
      stream.write(`  ${seconds(now() - start).padStart(8)}  ${name}  ${what}\n`);
    },
    close: () => undefined,
  };
};

/** A display that fits the stream: living lines on a terminal, plain lines else. Once closed it shows nothing more. */
export const createDisplay = (options: DisplayOptions): Display => {
  const display = options.stream.isTTY ? createTerminal(options) : createPlain(options);
  let isOpen = true;
  return {
    say: (text) => isOpen && display.say(text),
    tell: (mark, text) => isOpen && display.tell(mark, text),
    finish: (text) => isOpen && display.finish(text),
    show: (name, what, mark) => isOpen && display.show(name, what, mark),
    close: () => {
      if (isOpen) display.close();
      isOpen = false;
    },
  };
};
