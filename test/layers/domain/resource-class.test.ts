import { expect, it } from 'vitest';

import { placementClass } from '../../../layers/domain/resource-class.ts';

it.each([
  ['baremetal.with-GPU', 'CUSTOM_BAREMETAL_WITH_GPU'],
  ['small', 'CUSTOM_SMALL'],
  ['a--b  c', 'CUSTOM_A_B_C'],
  ['CUSTOM_GOLD', 'CUSTOM_CUSTOM_GOLD'],
  ['größe', 'CUSTOM_GR_SSE'],
])('a node of class %s is asked for as %s', (name, placed) => {
  expect(placementClass(name)).toBe(placed);
});
