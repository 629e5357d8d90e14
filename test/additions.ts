/** The list "How to add ..." of CONTRIBUTING.md, read. */
import { readFileSync } from 'node:fs';

export const root = new URL('..', import.meta.url).pathname;

/** A kind of addition: what is touched for it, where the compiler asks for more, what tests it. */
export type Addition = {
  readonly title: string;
  readonly touch: string;
  readonly compiler: readonly string[];
  readonly test: string;
};

/** All that stands in backticks. */
export const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

const read = (item: string): Addition => {
  const [head, ...lines] = item
    .replaceAll(/\n {4}/g, ' ')
    .replaceAll(/\n {2}(?!-)/g, ' ')
    .split('\n  - ');
  const [, title = '', touch = ''] = /^\*\*(.+?):\*\*(.*)$/.exec(head!) ?? [];
  const after = (label: string) => lines.find((line) => line.startsWith(`${label}: `))?.slice(label.length + 2) ?? '';
  return { title, touch, compiler: quoted(after('compiler')), test: after('test') };
};

const section = /\n## How to add \.\.\.\n([^]*?)\n(?:If something|## )/.exec(
  readFileSync(`${root}CONTRIBUTING.md`, 'utf8'),
)![1]!;

export const additions: readonly Addition[] = section
  .split('\n- ')
  .slice(1)
  .map((item) => read(item.trim()));
