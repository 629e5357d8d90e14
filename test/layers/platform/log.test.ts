import { describe, expect, it } from 'vitest';

import { createIds } from '../../../layers/platform/ids.ts';
import { createLog } from '../../../layers/platform/log.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';

describe('createLog', () => {
  const lines: string[] = [];
  const log = createLog({ service: 'sync', clock: createVirtualClock(), write: (line) => lines.push(line) });

  it('writes one JSON object a line', () => {
    log.info('Started.', { node: 'n', text: 'two\nlines' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'info',
      time: '2026-01-01T00:00:00.000Z',
      service: 'sync',
      message: 'Started.',
      node: 'n',
      text: 'two\nlines',
    });
  });

  it('spells out errors with their causes', () => {
    log.error('Failed.', { error: new Error('outer', { cause: new TypeError('inner') }) });
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      level: 'error',
      error: { name: 'Error', message: 'outer', cause: { name: 'TypeError', message: 'inner' } },
    });
  });
});

describe('createIds', () => {
  it('makes ULIDs that grow even when the clock steps back, and UUIDs', () => {
    const times = [2000, 2000, 1000, 3000];
    const ids = createIds({ now: () => times.shift()! });
    const made = [ids.ulid(), ids.ulid(), ids.ulid(), ids.ulid()];
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(4);
    expect(isUuid(ids.uuid())).toBe(true);
  });
});
