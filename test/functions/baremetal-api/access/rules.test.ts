/** A rule that nobody asks protects nothing. */
import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { routes as baremetal } from '../../../../functions/baremetal-api/routes.ts';
import { routes as compute } from '../../../../functions/compute-api/routes.ts';
import { routes as image } from '../../../../functions/image-api/routes.ts';
import { routes as network } from '../../../../functions/network-api/routes.ts';
import { rules } from '../../../../layers/domain/policy.ts';

const sources = ['functions', 'layers', 'workflows'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8')),
);

it('every rule of the policy is asked somewhere', () => {
  expect(rules.length).toBeGreaterThan(100);
  const ofRoutes = new Set<string>(
    [...baremetal, ...compute, ...image, ...network].flatMap(({ policy, own }) => [policy, ...(own ? [own] : [])]),
  );
  // With a colon behind it, it is its row in the table.
  const isAsked = (rule: string) =>
    ofRoutes.has(rule) || sources.some((text) => new RegExp(`'${rule}'(?!:)`).test(text));
  expect(rules.filter((rule) => !isAsked(rule))).toEqual([]);
});
