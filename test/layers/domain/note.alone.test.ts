/** A private note is one row: its lifetime says when it goes. */
import { expect, it } from 'vitest';
import * as z from 'zod';

import { forget, keep, note, notes, type NoteName } from '../../../layers/domain/notes.ts';

Object.assign(notes, { sample: { schema: z.string(), lifetime: 'plan', doc: 'A sample.' } });
const sample = 'sample' as NoteName;

it('is there until what it is true for is over, or what that is part of', () => {
  const noted = keep({ driver_internal_info: {} }, { [sample]: 'x' });
  expect(note(noted, sample)).toBe('x');
  expect(note(forget(noted, 'boot', 'step'), sample)).toBe('x');
  expect(note(forget(noted, 'plan'), sample)).toBeUndefined();
  expect(note(forget(noted, 'instance'), sample)).toBeUndefined();
});
