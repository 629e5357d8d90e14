import * as z from 'zod';
import { expect, it } from 'vitest';

import { check } from '../../../layers/domain/schema.ts';
import { uuid } from '../../../layers/domain/values.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(3),
  count: z.int().min(0).max(9).optional(),
  list: z.array(z.string()).max(1).optional(),
  kind: z.enum(['a', 'b']).optional(),
  extra: z.record(z.string(), z.unknown()).optional(),
  uuid: uuid.optional(),
});

it.each([
  [{}, 'Missing mandatory parameter: name.'],
  [{ name: '' }, 'Invalid value for name: must have at least 1 character.'],
  [{ name: 'long' }, 'Invalid value for name: must have at most 3 characters.'],
  [{ name: 7 }, 'Invalid value for name: must be text.'],
  [{ name: 'n', count: -1 }, 'Invalid value for count: must be at least 0.'],
  [{ name: 'n', count: 10 }, 'Invalid value for count: must be at most 9.'],
  [{ name: 'n', count: 'x' }, 'Invalid value for count: must be a number.'],
  [{ name: 'n', list: {} }, 'Invalid value for list: must be a list.'],
  [{ name: 'n', list: ['a', 'b'] }, 'Invalid value for list: must have at most 1 entry.'],
  [{ name: 'n', list: [1] }, 'Invalid value for list.0: must be text.'],
  [{ name: 'n', kind: 'c' }, 'Invalid value for kind: must be one of a, b.'],
  [{ name: 'n', extra: [] }, 'Invalid value for extra: must be a JSON object.'],
  [{ name: 'n', uuid: 'x' }, 'Invalid value for uuid: must be a UUID.'],
  [{ name: 'n', other: 1 }, 'Unexpected arguments: other.'],
  [[], 'The request body is wrong: it must be a JSON object.'],
])('says what is wrong with %j', (value, message) => {
  expect(() => check(schema, value)).toThrow(message);
});
