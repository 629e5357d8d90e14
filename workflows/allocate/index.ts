/** POST /v1/allocations without a node. */
import type { AllocationWorkflow } from '../owners/allocation/index.ts';

export const allocate: AllocationWorkflow = {
  owner: 'allocation',
  doc: 'Allocations: finds a node for one.',
  what: 'Allocation',
  next: 'Delete the allocation, and create it again.',
  phases: async () => import('./phases.ts'),
};
