/** The commands of `npx ingot` that pages tell to type: each is one, and has the options that it is told with. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

import { read, root, texts } from './references.ts';

const help = execFileSync(process.execPath, [`${root}cli/ingot.js`, '--help'], { encoding: 'utf8' });

/** What the help says of each command, by its name. */
const told = new Map(
  help.split(/^ {2}ingot /m).map((text) => [/^[a-z-]+ [a-z-]+/.exec(text)?.[0] ?? '', text] as const),
);

type Typed = { readonly page: string; readonly line: string };

const commandsIn = (page: string): Typed[] =>
  [...read(page).matchAll(/^```sh\n([^]*?)^```$/gm)]
    .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith('npx ingot '))
    .map((line) => ({ page, line: line.replace(/\s#.*$/, '') }));

const typed = texts.filter((file) => file.startsWith('docs/guides/')).flatMap(commandsIn);

it('are found', () => {
  expect(typed.length).toBeGreaterThan(8);
});

it.each(typed)('$page: $line', ({ line }) => {
  const name = /^npx ingot ([a-z-]+ [a-z-]+)/.exec(line)?.[1] ?? '';
  expect([...told.keys()]).toContain(name);
  const options = line.match(/--[a-z-]+/g) ?? [];
  const known: readonly string[] = told.get(name)!.match(/--[a-z-]+/g) ?? [];
  expect(options.filter((option) => !known.includes(option))).toEqual([]);
});
