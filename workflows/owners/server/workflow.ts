/** What a workflow of servers is: the row in `workflows/<name>/index.ts`. */
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Failure } from '../../run/failure.ts';
import type { ServerPhases } from './phase.ts';

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
  /** What becomes of a server whose run failed. */
  failed(server: StoredServer): Partial<StoredServer>;
  phases(): Promise<{ readonly phases: ServerPhases }>;
};

export type ServerRows = { readonly [name: string]: ServerRow };
