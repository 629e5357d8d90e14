/** A server whose node was taken away is deleted, with its ports: there is nothing left that it could be. */
import type { ShownNode } from '../../../layers/baremetal-client/shown.ts';
import { serverState } from '../../../layers/domain/compute/server-states.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { beginRun } from '../../../layers/store/servers.ts';
import { startRun } from '../../run/start.ts';

/** Whether a server has, or had, a node: one that never got there has nothing to lose. */
export const hasNode = ({ node_uuid: node, vm_state: state }: StoredServer): boolean =>
  node !== null && state !== 'building';

/** Whether a server has lost its node, which was asked for by its instance. */
export const isLost = (server: StoredServer, node: ShownNode | undefined): boolean =>
  hasNode(server) && serverState(node, server).vm_state === 'deleted';

export type Deletion = ReturnType<typeof planDeletion>;

/** The deletion of one, drawn once for all times that it is decided: what it makes of the server, and its start. */
export const planDeletion = ({ ids }: Pick<Platform, 'ids'>) => {
  const beginning = { birth: ids.ulid(), request_id: `req-${ids.uuid()}` };
  return {
    of: (server: StoredServer): Partial<StoredServer> =>
      beginRun(server, { ...beginning, workflow: 'server-delete', task_state: 'deleting' }),
    /** Starts it if it was decided on: `server` is what was written. */
    start: async (needs: Pick<Platform, 'workflows' | 'log'>, server: StoredServer): Promise<void> => {
      const { uuid, run, request_id, node_uuid: node } = server;
      if (request_id !== beginning.request_id) return;
      needs.log.warn('A server has lost its node and is deleted.', { server: uuid, node });
      await startRun(needs, 'server-delete', run!, { server: uuid });
    },
  };
};
