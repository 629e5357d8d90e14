/** What a new server names and has to be there: its flavor, its image, its key pair (compute-api.md 3). */
import { keyPair } from '../../../layers/domain/compute/key-pair.ts';
import type { ServerKey } from '../../../layers/domain/compute/server-keeping.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { ownedAs } from '../../../layers/domain/image/visibility.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import type { Table } from '../../../layers/platform/table.ts';
import type { StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { type StoredImage, tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { readRecord, readRecordBy } from '../../../layers/store/records/find.ts';
import { readFlavor, seesFlavor } from '../flavor/view.ts';

/** The flavor of this id. Throws Invalid (400): the path is not at fault. */
export const requireFlavor = async (table: Table, subject: Subject, id: string): Promise<StoredFlavor> => {
  const flavor = await readFlavor(table, id);
  if (!flavor || !seesFlavor(flavor, subject)) throw Invalid(`Flavor ${id} could not be found.`);
  return flavor;
};

const bytesOfGiB = 1024 ** 3;

/** Throws Invalid (400) for a flavor that is too small for the image. */
const checkSize = (
  { min_ram, min_disk, size }: StoredImage,
  { ram, disk }: Pick<StoredFlavor, 'ram' | 'disk'>,
): void => {
  if (ram < min_ram) throw Invalid("Flavor's memory is too small for requested image.");
  // A flavor without a disk size takes what its machine has.
  if (disk === 0) return;
  if (disk < min_disk) {
    throw Invalid(
      `Flavor's disk is smaller than the minimum size specified in image metadata. Flavor disk is ${disk} GB, minimum size is ${min_disk} GB.`,
    );
  }
  if ((size ?? 0) > disk * bytesOfGiB) {
    throw Invalid(`Flavor's disk is too small for requested image. Flavor disk is ${disk} GB, image is ${size} bytes.`);
  }
};

/** The image of this UUID that machines of this size can have. Throws Invalid (400). */
export const requireImage = async (
  table: Table,
  subject: Subject,
  id: string,
  flavor: Pick<StoredFlavor, 'ram' | 'disk'>,
): Promise<StoredImage> => {
  const image = await readRecord(table, tenantKinds.image, id);
  if (!image || image.status === 'pending_delete' || !allows('get_image', subject, ownedAs(image, subject))) {
    throw Invalid('Can not find requested image');
  }
  if (image.status !== 'active' || !allows('download_image', subject, ownedAs(image, subject))) {
    throw Invalid(`Image ${id} is not active.`);
  }
  checkSize(image, flavor);
  return image;
};

/** The public key of this name that the user has. Throws Invalid (400). */
export const requireKey = async (table: Table, { user }: Subject, name: string): Promise<ServerKey> => {
  const found = await readRecordBy(table, tenantKinds.key_pair, keyPair.name.unique, name, user ?? '');
  if (!found) throw Invalid('Invalid key_name provided.');
  return { name, type: 'ssh', public_key: found.public_key! };
};
