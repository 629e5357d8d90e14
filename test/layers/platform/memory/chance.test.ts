import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { createSeededChance } from '../../../../layers/platform/memory/chance.ts';

const draw = (seed: number) => {
  const chance = createSeededChance(seed);
  return Array.from({ length: 50 }, () => chance.number());
};

it('repeats itself with the same seed, differs with another, and stays in [0, 1)', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const numbers = draw(seed);
      expect(draw(seed)).toEqual(numbers);
      expect(draw(seed + 1)).not.toEqual(numbers);
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    }),
  );
});
