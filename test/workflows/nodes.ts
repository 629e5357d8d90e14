/** Nodes as the API would have stored them. */
import { newNode } from '../../layers/domain/baremetal/new-node.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';

export const uuid = '6b9cd1a4-0c1f-4d0e-9f5c-2f5d8a3c7e11';

/** A redfish node that is available and has all that a direct deploy needs. */
export const aNode = (more: Partial<StoredNode> = {}): StoredNode =>
  newNode({
    uuid,
    driver: 'redfish',
    provision_state: 'available',
    driver_info: { redfish_address: 'https://10.0.0.1', deploy_iso: 'http://images.test/deploy.iso' },
    instance_info: {
      image_source: 'http://images.test/demo.raw',
      image_checksum: 'a'.repeat(64),
      image_disk_format: 'raw',
    },
    created_at: '2026-01-01T00:00:00.000+00:00',
    position: '01000000000000000000000001',
    ...more,
  });
