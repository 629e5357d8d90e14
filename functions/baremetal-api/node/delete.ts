/** DELETE /v1/nodes/{ident}. */
import { stateOf, statesThatAre } from '../../../layers/domain/baremetal/states.ts';
import { Conflict, Forbidden, NodeLocked } from '../../../layers/domain/fault.ts';
import { removeConfigdrive } from '../../../layers/store/configdrives.ts';
import { guestDocumentKey } from '../../../layers/store/guest-documents.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { removeRecord } from '../../../layers/store/records/change.ts';
import { route, type Deps } from '../route.ts';
import { findByIdent } from './find.ts';
import { stopRun } from '../../../workflows/run/start.ts';

/** Maintenance lets a node go in any state, but protection and a held lock do not. */
const refuseDelete = (node: StoredNode): void => {
  const { uuid, maintenance } = node;
  if (node.reservation) throw NodeLocked(uuid, node.reservation);
  if (node.protected) throw Forbidden(`Node ${uuid} is protected, unset protected before it is deleted.`);
  if (maintenance) return;
  if (node.instance_uuid) {
    throw Conflict(`Node ${uuid} is associated with instance ${node.instance_uuid}, undeploy it before it is deleted.`);
  }
  if (!stateOf(node).deletable) {
    throw Conflict(
      `Can not delete node ${uuid} while it is in state "${node.provision_state}", only in ${statesThatAre('deletable').join(', ')}.`,
    );
  }
};

/** What the node left outside of the table: a run that waits, its configdrive, and what told of its guest. */
const cleanUp = async (deps: Deps, node: StoredNode): Promise<void> => {
  await stopRun(deps, node.run_workflow, node.run, 'The node was deleted.');
  await removeConfigdrive(deps, node);
  await deps.objects.remove(guestDocumentKey(node.uuid));
};

export const deleteRoute = route<undefined, StoredNode>({
  at: 'DELETE /v1/nodes/{ident}',
  movesIn: true,
  fenced: false,
  policy: 'baremetal:node:delete',
  own: 'baremetal:node:delete:self_owned_node',
  ownIf: ({ config }) => config.projectAdminCanManageOwnNodes,
  find: findByIdent,
  handle: async (deps, { target }) => {
    await cleanUp(deps, await removeRecord(deps, kinds.node, target.uuid, refuseDelete));
    return {};
  },
});
