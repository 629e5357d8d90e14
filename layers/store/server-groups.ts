/** Server groups: how they come to be, counted in the quota of their project, and how they go. */
import { Conflict } from '../domain/fault.ts';
import { givingBack, type Holder, spending } from './compute-quotas.ts';
import { computeKinds, type StoredServerGroup } from './kinds/compute.ts';
import { changeRecord, createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { beside } from './records/plan.ts';

const kind = computeKinds.server_group;
const one = { server_groups: 1 } as const;

const holderOf = ({ project_id: project }: Pick<StoredServerGroup, 'project_id'>): Holder => `project:${project}`;

/** Stores a new group. Throws Forbidden (403) past the limit of its project. */
export const createGroup = async (needs: Needs, group: StoredServerGroup): Promise<StoredServerGroup> =>
  createRecord(needs, kind, group, async () => ({ beside: [await spending(needs, holderOf(group), one)] }));

/** A server and its group know of each other no more. */
const part = async (needs: Needs, uuid: string, member: string): Promise<void> => {
  await changeRecord(needs, kind, uuid, async ({ members }) => {
    const server = await readRecord(needs.table, computeKinds.server, member);
    return {
      set: { members: members.filter((other) => other !== member) },
      beside: server ? [beside(computeKinds.server, server, { set: { server_groups: [] } })] : [],
    };
  });
};

/**
 * Removes a group; its servers stay, and are in none then. There may be more of them than a transaction takes, so each
 * leaves by itself: who dies in between leaves a smaller group. Throws NotFound (404), Conflict (409) if servers join it
 * all the while.
 */
export const removeGroup = async (needs: Needs, { uuid, members }: StoredServerGroup): Promise<void> => {
  for (const member of members) await part(needs, uuid, member);
  await removeRecord(needs, kind, uuid, async (group) => {
    if (group.members.length > 0) {
      throw Conflict(`Servers are being created in instance group ${uuid}: delete it when they are there.`);
    }
    return { beside: [await givingBack(needs, holderOf(group), one)] };
  });
};
