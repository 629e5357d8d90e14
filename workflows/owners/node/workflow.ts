/** What a workflow of nodes is: the row in `workflows/<name>/index.ts`. */
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Keeping } from '../../run/owner.ts';
import type { Key, Table } from '../../../layers/platform/table.ts';
import type { Phases } from './phase.ts';
import type { StepKind } from './plan.ts';

/** What a run was asked for that only takes the lock. */
export type Asked = {
  /** What its execution is started with; undefined if nobody knows any more. */
  readonly input: object | undefined;
  /** It has no execution, but a client who waits until then (milliseconds since the epoch). */
  readonly until?: number;
};

/** The phases are loaded when one is needed: who reads the rows does not load all that phases do. */
type Common = {
  readonly owner: 'node';
  /** For operators: the verbs that lead here, and what it does. */
  readonly doc: string;
  /** The event type of its lines in the history, as Ironic calls it (ironic-states.md 16). */
  readonly event_type: string;
  /** What `last_error` says has failed. */
  readonly what: string;
  /** What an operator does once the cause is gone. */
  readonly next: string;
  /** What to look at when the agent never called; without it, what a deploy needs. */
  readonly unheard?: string;
  /** What becomes of a node whose run failed: its failure state. `lastError` is written besides. */
  failed(node: StoredNode, lastError: string): Partial<StoredNode>;
  /**
   * What is done with a machine that our ramdisk was booted on when it fails or is aborted: its media go, and the
   * override to them; `off`: it is switched off before, `on`: it is left to whoever looks into it, as in Ironic.
   * undefined: nothing of ours is on it.
   */
  leavesRamdisk?(node: StoredNode): 'off' | 'on' | undefined;
  /** Removes what a failed run takes from the node outside of its record (`failed` takes the references). */
  discard?(platform: Keeping, node: StoredNode): Promise<void>;
  /** Items of the node that nobody has use for when the run is over. */
  readonly leftovers: readonly ((uuid: string) => Key)[];
  /** The plan of steps that it goes through, if it has one. */
  readonly steps?: StepKind;
  /** The workflow that it hands the node over to, still locked, in the write that ends its last phase. */
  readonly successor?: string;
  phases(): Promise<{ readonly phases: Phases }>;
};

/**
 * A run takes the node: it owns the provisioning from begin to end. Or it takes the lock only, so it may come in
 * between while another waits; the record of what it was `asked` for stands beside the node, and is undefined for the
 * run of another.
 */
export type NodeWorkflow = Common &
  (
    | { readonly takes: 'node' }
    | {
        readonly takes: 'lock';
        asked(table: Pick<Table, 'get'>, uuid: string, run: string): Promise<Asked | undefined>;
      }
  );

export type NodeWorkflows = { readonly [name: string]: NodeWorkflow };
