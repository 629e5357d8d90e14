/** What a handler makes of the platform on AWS is what its function's row grants: no more is asked for, no less. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { partOf } from '../../infra/grants.ts';
import { functions } from '../../infra/manifest.ts';

const root = new URL('../..', import.meta.url);
const free = ['clock', 'chance', 'ids', 'log'];

/** `awsTable(env)` makes the table. */
const madeBy = (name: string): string[] => {
  const text = readFileSync(new URL(`functions/${name}/handler.ts`, root), 'utf8');
  const made = [...text.matchAll(/\baws([A-Z]\w+)\(/g)].map(([, part]) => part!.toLowerCase());
  return [...new Set(made)].filter((part) => !free.includes(part)).toSorted();
};

it.each(Object.entries(functions))('%s has what it is granted', (name, { grants }) => {
  expect(madeBy(name)).toEqual([...new Set(grants.map(partOf))].toSorted());
});
