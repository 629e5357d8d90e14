import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { release } from '../../../layers/domain/release.ts';

it('is the release that package.json names', () => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  expect(release).toBe((JSON.parse(text) as { version: string }).version);
});
