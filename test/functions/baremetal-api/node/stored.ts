/** Nodes put straight into the table, in whatever state a test starts from. */
import { newNode } from '../../../../layers/domain/baremetal/new-node.ts';
import { createFront } from '../front.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { createRecord } from '../../../../layers/store/records/change.ts';
import { readRecord } from '../../../../layers/store/records/find.ts';

/** driver_info of a machine whose BMC nobody asks. */
export const redfishInfo = {
  redfish_address: 'https://10.1.0.7',
  redfish_username: 'admin',
  redfish_password: '******',
  deploy_iso: 'https://images.test/deploy.iso',
};

/** instance_info that interface direct accepts. */
export const imageInfo = {
  image_source: 'https://images.test/demo.raw',
  image_os_hash_algo: 'sha256',
  image_os_hash_value: 'ab'.repeat(32),
};

/** The front door, and ways around it: `store` a node, `read` it, give it a port. */
export const createFrontWithNodes = (env: Record<string, string> = {}) => {
  const front = createFront(env);
  const { platform } = front;

  const store = async (values: Partial<StoredNode> = {}): Promise<StoredNode> => {
    const stored = newNode({
      uuid: platform.ids.uuid(),
      driver: 'fake-hardware',
      provision_state: 'available',
      created_at: '2026-01-01T00:00:00.000+00:00',
      position: platform.ids.ulid(),
      ...values,
    });
    await createRecord(platform, kinds.node, stored);
    return stored;
  };

  const read = async (uuid: string): Promise<StoredNode> => (await readRecord(platform.table, kinds.node, uuid))!;

  const addPort = async (uuid: string): Promise<void> =>
    platform.table.write([{ put: { pk: `node#${uuid}`, sk: 'port#1', address: '52:54:00:00:00:01' } }]);

  /** A redfish node that may be deployed at once. */
  const storeReady = async (values: Partial<StoredNode> = {}): Promise<StoredNode> => {
    const node = await store({ driver: 'redfish', driver_info: redfishInfo, instance_info: imageInfo, ...values });
    await addPort(node.uuid);
    return node;
  };

  const events = async (uuid: string) => platform.table.query({ partition: `node#${uuid}`, begins: 'event#' });

  const provision = async (uuid: string, target: string, body: object = {}, version = 'latest') =>
    front.request(`PUT /v1/nodes/${uuid}/states/provision`, { version, body: { target, ...body } });

  return { ...front, store, storeReady, read, addPort, events, provision };
};

export type Front = ReturnType<typeof createFrontWithNodes>;
