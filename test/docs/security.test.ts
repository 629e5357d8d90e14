/** docs/security.md names a test for each promise, and they are there. */
import { existsSync } from 'node:fs';

import { expect, it } from 'vitest';

import { read } from './references.ts';

const page = read('docs/security.md');
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (promise|---)/.test(line));

/** A file, and what of it. */
const named = (cell: string) =>
  [...cell.matchAll(/`(test\/[^`]+\.ts)`(?:, _([^_]+(?:_\w+)*)_)?/g)].map(([, file, part]) => ({ file: file!, part }));

it('every promise has its tests', () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter((row) => named(row.split('|').at(-2)!).length === 0)).toEqual([]);
});

it('the tests that it names are there', () => {
  const isThere = ({ file, part = '' }: { file: string; part: string | undefined }) =>
    existsSync(file) && read(file).includes(part);
  expect(named(page).filter((one) => !isThere(one))).toEqual([]);
});

it.each(['stranger', 'network of the machines', 'with a token', 'one project', 'BMC', 'agent', 'function gone bad'])(
  'it has a part about a %s, and what is left to the operator',
  (whom) => {
    const part = page.split('\n## ').find((text) => text.split('\n')[0]!.includes(whom));
    expect(part).toContain('**Left to you:**');
  },
);
