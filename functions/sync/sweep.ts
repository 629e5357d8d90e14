/**
 * Removes objects that no node refers to: left by a crash between storing one and the write that names it, between
 * undeploy's write and the removal, or by an inventory that took the place of another.
 */
import { agentMediaOf } from '../../layers/domain/agent-medium.ts';
import { hasGuest } from '../../layers/domain/baremetal/guest.ts';
import { note } from '../../layers/domain/notes.ts';
import { configdriveObjects, configdrivesOf } from '../../layers/domain/configdrive.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { guestDocumentKey, guestDocumentsOf } from '../../layers/store/guest-documents.ts';
import { inventoriesOf, inventoryObject } from '../../layers/store/inventories.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { readRecord } from '../../layers/store/records/find.ts';

/** Younger ones may be about to be named, ms. */
const minAge = 24 * 60 * 60 * 1000;

/** A UUID's first two digits part the fleet; each part has its five minutes, all have one in 21 hours. */
const parts = 256;
const turn = 5 * 60 * 1000;

/** Keys go on behind it, or end with it and what kind of a file they are. */
const uuidLength = 36;

type Needs = Pick<Platform, 'table' | 'objects' | 'clock' | 'log'>;

type Sort = {
  /** What its keys begin with, if the UUID of their node begins so. */
  readonly of: (start: string) => string;
  /** Those that the node refers to, with what is made of them. */
  readonly named: (table: Platform['table'], uuid: string) => Promise<readonly (string | undefined)[]>;
};

const sorts: { readonly [name: string]: Sort } = {
  configdrive: {
    of: configdrivesOf,
    named: async (table, uuid) => {
      const node = await readRecord(table, kinds.node, uuid);
      return node ? configdriveObjects(node) : [];
    },
  },
  'medium of an agent': {
    of: agentMediaOf,
    named: async (table, uuid) => {
      const node = await readRecord(table, kinds.node, uuid);
      return node ? [note(node, 'agent_medium')] : [];
    },
  },
  'guest document': {
    of: guestDocumentsOf,
    named: async (table, uuid) => {
      const node = await readRecord(table, kinds.node, uuid);
      return node && hasGuest(node) ? [guestDocumentKey(uuid)] : [];
    },
  },
  inventory: {
    of: inventoriesOf,
    named: async (table, uuid) => [await inventoryObject(table, uuid)],
  },
};

/** One part of the fleet, so that a call costs little however many nodes there are. */
export const sweepObjects = async ({ table, objects, clock, log }: Needs): Promise<void> => {
  const now = clock.now();
  const part = (Math.floor(now / turn) % parts).toString(16).padStart(2, '0');
  for (const [name, { of, named }] of Object.entries(sorts)) {
    for (const { key, put_at } of await objects.list(of(part))) {
      const uuid = key.split('/')[1]!.slice(0, uuidLength);
      if (now - put_at < minAge || (await named(table, uuid)).includes(key)) continue;
      await objects.remove(key);
      log.info(`A stored ${name} that no node refers to was removed.`, { node: uuid });
    }
  }
};
