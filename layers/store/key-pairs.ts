/** Key pairs: how they come to be, counted in the quota of their user, and how they go. */
import { givingBack, type Holder, spending } from './compute-quotas.ts';
import { type StoredKeyPair, tenantKinds } from './kinds/tenants.ts';
import { createRecord, type Needs, removeRecord } from './records/change.ts';

const kind = tenantKinds.key_pair;
const one = { key_pairs: 1 } as const;

const holderOf = ({ user_id: user }: StoredKeyPair): Holder => `user:${user ?? ''}`;

/**
 * Stores a new key pair. Its user has as many as the limit says of the project that it is made from. Throws Forbidden
 * (403) past that, Conflict (409) for a name that he has given already.
 */
export const createKeyPair = async (needs: Needs, keyPair: StoredKeyPair, project: string | null): Promise<void> => {
  await createRecord(needs, kind, keyPair, async () => ({
    beside: [await spending(needs, holderOf(keyPair), one, `project:${project ?? ''}`)],
  }));
};

/** Removes a key pair; servers that were made with it keep what they have. Throws NotFound (404). */
export const removeKeyPair = async (needs: Needs, { uuid }: StoredKeyPair): Promise<void> => {
  await removeRecord(needs, kind, uuid, async (keyPair) => ({
    beside: [await givingBack(needs, holderOf(keyPair), one)],
  }));
};
