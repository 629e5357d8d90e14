/** What a workflow of servers is: the row in `workflows/<name>/index.ts`. */
import type { ShownNode } from '../../../layers/baremetal-client/shown.ts';
import { serverState } from '../../../layers/domain/compute/server-states.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Failure } from '../../run/failure.ts';
import type { ServerPhases } from './phase.ts';

/** A node as its server's run left it; `gone`: none has the server any more; `unknown`: it could not be seen. */
export type SeenNode = ShownNode | 'gone' | 'unknown';

/**
 * The column `failed` of what harms no server: that is what its node says, for whatever became of the node during the run
 * was left to the run.
 */
export const asItsNode = (server: StoredServer, node: SeenNode): Partial<StoredServer> => {
  if (node === 'unknown') return {};
  return node === 'gone' ? { vm_state: 'error', power_state: 0 } : serverState(node, { ...server, task_state: null });
};

/** The phases are loaded when one is needed. */
export type ServerRow = {
  readonly owner: 'server';
  /** For operators: what leads here, and what it does. */
  readonly doc: string;
  /** What its lines in the history are about: the action. */
  readonly event_type: string;
  /** What an administrator reads has failed, and what he does once the cause is gone. */
  readonly what: string;
  readonly next: string;
  /** What its tenant reads: no word about nodes. */
  fault(failure: Failure, server: StoredServer): string;
  /** What becomes of a server whose run failed, and whose node was seen then. */
  failed(server: StoredServer, node: SeenNode): Partial<StoredServer>;
  phases(): Promise<{ readonly phases: ServerPhases }>;
};

export type ServerRows = { readonly [name: string]: ServerRow };
