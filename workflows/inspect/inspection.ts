/** The note on a node that the inventory of its inspection has come. */
import type { StoredNode } from '../../layers/store/nodes.ts';

/** In driver_internal_info: the run whose inventory is stored. */
export const inspectedBy = 'inspected_by_run';

/** In driver_internal_info: whether the ramdisk that sent it proved to be the one that was booted for it. */
export const inspectedWithKey = 'inspected_with_key';

/** Whether the stored inventory is what this run found. */
export const hasInspected = ({ driver_internal_info: info }: StoredNode, run: string | null): boolean =>
  run !== null && info[inspectedBy] === run;
