/** What task_state says (nova-bm-migration.md 2 and 3.1). */

export type TaskState = {
  /** A deployment goes on: the node has to be drained before it can be moved. */
  readonly inProgress?: true;
  /** What a node with an instance is by now; none: no node with an instance can be in this state. */
  readonly withInstance?: 'active' | 'error' | 'deploy failed';
  /** `last_error` tells it. */
  readonly failed?: true;
};

const taskStates: { readonly [task_state: string]: TaskState } = {
  building: { inProgress: true },
  deploying: { inProgress: true },
  prepared: { inProgress: true },
  active: { withInstance: 'active' },
  'deploy complete': { withInstance: 'active' },
  error: { withInstance: 'error', failed: true },
  'deploy failed': { withInstance: 'deploy failed', failed: true },
};

/** Without an instance, all others mean a free node. */
export const taskStateOf = (task_state: string | null): TaskState =>
  task_state !== null && Object.hasOwn(taskStates, task_state) ? taskStates[task_state]! : {};
