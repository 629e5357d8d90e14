import { describe, expect, it } from 'vitest';

import { word } from '../../../layers/domain/values.ts';
import { hostile } from '../../fakes/hostile.ts';

describe('a word', () => {
  it.each([
    ['c', '"c" is none of a, b'],
    [1, '1 is none of a, b'],
    [null, 'null is none of a, b'],
    [[], 'a list is none of a, b'],
    ...hostile.map((one): [unknown, string] => [one, `${Array.isArray(one) ? 'a list' : 'an object'} is none of a, b`]),
  ])('is none of the others, of whatever type: %j', (value, why) => {
    expect(word(['a', 'b']).safeParse(value).error?.issues).toMatchObject([{ message: why }]);
  });
});
