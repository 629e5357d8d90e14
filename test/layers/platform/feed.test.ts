import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { fromAttribute, fromImage, toImage } from '../../../layers/platform/feed.ts';

// What the table takes: checkItem (layers/platform/limits.ts).
const scalar = [fc.string(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null)];
// The SDK loses what is called so.
const key = fc.string().filter((name) => name !== '__proto__');
const json = fc.object({ key, values: [...scalar, fc.array(fc.oneof(...scalar))] });

it('has the form that DynamoDB has', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(toImage(value)).toEqual(marshall(value));
      expect(fromImage(toImage(value))).toEqual(value);
    }),
  );
});

it('gives the attributes that are asked for, and looks at no other', () => {
  const image = { a: { S: '1' }, b: { SS: ['2'] } } as never;
  expect(fromImage(image, ['a', 'c'])).toEqual({ a: '1' });
  expect(() => fromImage(image, ['b'])).toThrow('type SS');
  expect(() => fromAttribute({ B: 'x' } as never)).toThrow(TypeError);
});
