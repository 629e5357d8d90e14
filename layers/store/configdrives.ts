/**
 * The stored configdrive of a node: base64(gzip(image)), as agents read it. A BMC that presents it as a medium needs
 * the image itself, which is made when it is needed and lies next to it. The first versions stored the image; there
 * the form for agents is made instead.
 */
import { pack, unpack } from '../configdrive/packed.ts';
import {
  configdriveKey,
  configdriveObjects,
  configdriveReference,
  isPackedKey,
  mediumKey,
  packedKey,
} from '../domain/configdrive.ts';
import { Invalid } from '../domain/fault.ts';
import type { StoredNode } from './nodes.ts';
import type { ObjectBody } from '../platform/objects.ts';
import type { Platform } from '../platform/platform.ts';

type Needs<Method extends keyof Platform['objects']> = { readonly objects: Pick<Platform['objects'], Method> };

/** Stores a packed configdrive as an object of its own. Returns the value for instance_info.configdrive. */
export const storeConfigdrive = async (
  { objects, ids }: Needs<'put'> & Pick<Platform, 'ids'>,
  uuid: string,
  packed: ObjectBody,
): Promise<string> => {
  const key = configdriveKey(uuid, ids.ulid());
  await objects.put(key, packed);
  return configdriveReference(key);
};

type Making = Needs<'get' | 'size' | 'put'>;

const readStored = async ({ objects }: Making, key: string): Promise<ObjectBody> => {
  const stored = await objects.get(key);
  if (stored) return stored;
  throw Invalid('instance_info.configdrive refers to nothing that is stored: pass the configdrive again.');
};

/** Puts what is made of the stored object at `made`, unless it is there. A second maker makes the same bytes. */
const makeOnce = async (needs: Making, made: string, make: () => Promise<ObjectBody>): Promise<string> => {
  if ((await needs.objects.size(made)) === undefined) await needs.objects.put(made, await make());
  return made;
};

/** The key of the form that an agent reads, of the configdrive at `key`. Throws Invalid (400) if nothing is stored. */
export const packedForAgent = async (needs: Making, key: string): Promise<string> =>
  isPackedKey(key) ? key : makeOnce(needs, packedKey(key), async () => pack(await readStored(needs, key)));

/** The key of the image that a BMC presents, of the configdrive at `key`. Throws Invalid (400) if nothing is stored. */
export const imageForBmc = async (needs: Making, key: string): Promise<string> =>
  makeOnce(needs, mediumKey(key), async () => {
    const stored = await readStored(needs, key);
    return isPackedKey(key) ? unpack(stored) : stored;
  });

/** Removes all that is stored for the node's configdrive; none or an absent one is fine. */
export const removeConfigdrive = async (
  { objects }: Needs<'remove'>,
  node: Pick<StoredNode, 'uuid' | 'instance_info'>,
): Promise<void> => {
  for (const key of configdriveObjects(node)) await objects.remove(key);
};
