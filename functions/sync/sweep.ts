/** Objects that belong to nodes (layers/store/sweep.ts). */
import { agentMediaOf } from '../../layers/domain/agent-medium.ts';
import { hasGuest } from '../../layers/domain/baremetal/guest.ts';
import { note } from '../../layers/domain/notes.ts';
import { configdriveObjects, configdrivesOf } from '../../layers/domain/configdrive.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { guestDocumentKey, guestDocumentsOf } from '../../layers/store/guest-documents.ts';
import { inventoriesOf, inventoryObject } from '../../layers/store/inventories.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { type Sort, sweep } from '../../layers/store/sweep.ts';

type Needs = Pick<Platform, 'table' | 'objects' | 'clock' | 'log'>;

const sortsIn = (table: Platform['table']): Readonly<Record<string, Sort>> => {
  const ofNode = (named: (node: StoredNode) => readonly (string | undefined)[]): Sort['named'] => {
    return async (uuid) => {
      const node = await readRecord(table, kinds.node, uuid);
      return node ? named(node) : [];
    };
  };
  return {
    configdrive: { of: configdrivesOf, named: ofNode(configdriveObjects) },
    'medium of an agent': { of: agentMediaOf, named: ofNode((node) => [note(node, 'agent_medium')]) },
    'guest document': {
      of: guestDocumentsOf,
      named: ofNode((node) => (hasGuest(node) ? [guestDocumentKey(node.uuid)] : [])),
    },
    inventory: { of: inventoriesOf, named: async (uuid) => [await inventoryObject(table, uuid)] },
  };
};

/** Removes what no node refers to, of one part of the fleet. */
export const sweepObjects = async (needs: Needs): Promise<void> => sweep(needs, sortsIn(needs.table));
