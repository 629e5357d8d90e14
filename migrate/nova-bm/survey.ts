/** What has to be known of all nodes before one of them can be judged: who else has its UUID, its instance. */
import type { Source } from '../sources/source.ts';
import { type NodeRow, rowsOf } from './tables.ts';

export type Survey = {
  /** Whether a row with this id exists, soft-deleted ones too. */
  has(id: number): boolean;
  /** The id that had this UUID first. */
  firstWith(uuid: string): number;
  /** The other rows that have the instance of this one, and whether it is the one that keeps it. */
  rivals(row: NodeRow): readonly number[];
};

type Holders = { readonly ids: number[]; readonly active: number[] };

/** Soft-deleted rows hold nothing. An instance is that of the single `active` row; without one, of none (nova-bm-migration.md 3.1). */
export const survey = async (source: Source): Promise<Survey> => {
  const ids = new Set<number>();
  const uuids = new Map<string, number>();
  const instances = new Map<string, Holders>();
  for await (const batch of rowsOf(source, 'bm_nodes')) {
    for (const { id, deleted, uuid, instance_uuid, task_state } of batch) {
      ids.add(id);
      if (deleted === true) continue;
      const own = uuid?.toLowerCase();
      if (own !== undefined && !uuids.has(own)) uuids.set(own, id);
      if (instance_uuid === null) continue;
      const instance = instance_uuid.toLowerCase();
      const holders = instances.get(instance) ?? { ids: [], active: [] };
      instances.set(instance, holders);
      holders.ids.push(id);
      if (task_state === 'active') holders.active.push(id);
    }
  }
  return {
    has: (id) => ids.has(id),
    firstWith: (uuid) => uuids.get(uuid.toLowerCase())!,
    rivals: ({ id, instance_uuid }) => {
      const holders = instance_uuid === null ? undefined : instances.get(instance_uuid.toLowerCase());
      if (!holders || (holders.active.length === 1 && holders.active[0] === id)) return [];
      return holders.ids.filter((other) => other !== id);
    },
  };
};
