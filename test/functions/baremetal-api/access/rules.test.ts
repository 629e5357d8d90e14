/** A rule that nobody asks protects nothing. */
import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const sources = ['functions', 'layers', 'workflows'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);

it('every rule of the policy is asked somewhere', () => {
  const table = readFileSync('layers/domain/policy.ts', 'utf8');
  const rules = [...table.matchAll(/^ {2}'(baremetal:[\w:]+)': '/gm)].map(([, rule]) => rule!);
  expect(rules.length).toBeGreaterThan(100);
  const uses = (rule: string) => sources.reduce((count, text) => count + text.split(`'${rule}'`).length - 1, 0);
  // Once is its row in the table.
  expect(rules.filter((rule) => uses(rule) < 2)).toEqual([]);
});
