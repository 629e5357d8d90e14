/** A stored node for tests of the store: what the API would have made of a minimal POST, with changes. */
import { defaults } from '../../../layers/domain/fields.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { countedUlid, countedUuid } from '../../../layers/platform/memory/ids.ts';

export const aNode = (more: Partial<StoredNode> = {}): StoredNode =>
  ({
    ...defaults(nodeFields),
    uuid: countedUuid(1),
    driver: 'fake-hardware',
    provision_state: 'available',
    created_at: '2026-01-01T00:00:00+00:00',
    revision: 1,
    generation: 0,
    run: null,
    run_workflow: null,
    agent_token_sha256: null,
    position: countedUlid(1),
    ...more,
  }) as StoredNode;
