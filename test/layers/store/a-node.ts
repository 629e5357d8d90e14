/** A stored node for tests of the store: what the API would have made of a minimal POST, with changes. */
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { countedUlid, countedUuid } from '../../../layers/platform/memory/ids.ts';

export const aNode = (more: Partial<StoredNode> = {}): StoredNode =>
  newNode({
    uuid: countedUuid(1),
    driver: 'fake-hardware',
    provision_state: 'available',
    created_at: '2026-01-01T00:00:00+00:00',
    position: countedUlid(1),
    ...more,
  });
