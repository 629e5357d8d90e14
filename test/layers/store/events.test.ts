import { describe, expect, it } from 'vitest';

import { createCountedIds, countedUlid, countedUuid } from '../../../layers/platform/memory/ids.ts';
import type { Item } from '../../../layers/platform/table.ts';
import { eventWrite } from '../../../layers/store/events.ts';
import { aNode } from './a-node.ts';

/** The item that the write of an event puts. */
const eventItem = (...event: Parameters<typeof eventWrite>): Item => {
  const write = eventWrite(...event);
  if (!('put' in write)) throw new Error('An event is put.');
  return write.put;
};

describe('the item of an event', () => {
  const at = '2026-01-01T00:00:00.000+00:00';
  const event = { kind: 'error', severity: 'ERROR', event_type: 'deploying', message: 'The BMC is gone.' } as const;

  it('stands in the partition of its node, in order of time, with the states as they were', () => {
    const ids = createCountedIds();
    const node = aNode({ provision_state: 'deploying', target_provision_state: 'active' });
    const [first, second] = [eventItem(node, event, at, ids), eventItem(node, event, at, ids)];
    expect(first).toMatchObject({
      ...event,
      pk: `node#${countedUuid(1)}`,
      sk: `event#${countedUlid(1)}`,
      created_at: at,
      provision_state: 'deploying',
      target_provision_state: 'active',
    });
    expect(second.sk > first.sk).toBe(true);
  });

  it('keeps 4 KB of its message', () => {
    const item = eventItem(aNode(), { ...event, message: 'x'.repeat(500_000) }, at, createCountedIds());
    expect(item['message']).toMatch(/^x+ \[\.\.\.\] \(cut, it had 500000 characters\)$/);
    expect(item['message']).toHaveLength(4096);
  });

  it('expires after 90 days', () => {
    expect(eventItem(aNode(), event, at, createCountedIds())['expires_at']).toBe(Date.UTC(2026, 2, 32) / 1000);
  });
});
