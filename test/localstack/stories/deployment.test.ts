/** What the CDK CLI has brought to the emulated AWS. */
import { expect, inject, it } from 'vitest';

import { difference } from '../deployment.ts';

const deployment = inject('deployment');

it('tells where each API is', () => {
  const names = ['ComputeEndpoint', 'Endpoint', 'ImageEndpoint', 'NetworkEndpoint'];
  expect(Object.keys(deployment.endpoints).toSorted()).toEqual(names);
});

it('is as the app wants it: a diff finds nothing to change', async () => {
  expect(await difference(deployment.aws)).toContain('Number of stacks with differences: 0');
});
