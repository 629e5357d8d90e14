import { expect, it } from 'vitest';

import { createKept } from '../../../local/table/kept.ts';

const body = (n: number) => JSON.stringify({ pk: 'a', sk: String(n), text: 'x'.repeat(100) });

it('gives back the item that was added, for its row only', () => {
  const kept = createKept(1000);
  const item = kept.add(1, body(1));
  expect(item).toMatchObject({ sk: '1' });
  expect(kept.get(1)).toBe(item);
  expect(kept.get(2)).toBeUndefined();
});

it('holds at least what it is told to, and forgets what is older than twice that', () => {
  const kept = createKept(10 * body(1).length);
  for (let id = 100; id < 200; id += 1) {
    kept.add(id, body(id));
    const recent = Array.from({ length: Math.min(10, id - 99) }, (_, back) => kept.get(id - back));
    expect(recent).not.toContain(undefined);
    expect(kept.get(id - 20)).toBeUndefined();
  }
});

it('keeps an item that is larger than all it may hold until the next one comes', () => {
  const kept = createKept(10);
  kept.add(1, body(1));
  expect(kept.get(1)).toBeDefined();
  kept.add(2, body(2));
  kept.add(3, body(3));
  expect(kept.get(1)).toBeUndefined();
});
