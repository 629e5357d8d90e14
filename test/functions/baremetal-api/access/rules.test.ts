/** A rule that nobody asks protects nothing. */
import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { rules } from '../../../../layers/domain/policy.ts';

const sources = ['functions', 'layers', 'workflows'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);

it('every rule of the policy is asked somewhere', () => {
  expect(rules.length).toBeGreaterThan(100);
  const uses = (rule: string) => sources.reduce((count, text) => count + text.split(`'${rule}'`).length - 1, 0);
  // Once is its row in the table.
  expect(rules.filter((rule) => uses(rule) < 2)).toEqual([]);
});
