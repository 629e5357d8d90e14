/** Automated cleaning (ironic-states.md 7). */
import type { Node } from './node.ts';

/** Whether a node is cleaned before it becomes available: as it says itself, else by the setting. Fake hardware has no disks. */
export const isCleaned = (
  { deploy_interface: of, automated_clean: own }: Pick<Node, 'deploy_interface' | 'automated_clean'>,
  { automatedClean }: { readonly automatedClean: boolean },
): boolean => of !== 'fake' && (own ?? automatedClean);
