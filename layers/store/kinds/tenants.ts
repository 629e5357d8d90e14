/** Every kind of record in the tenants' table, a row each. Names differ from those of machines (`kinds.ts`). */
import { keyPair, type KeyPair } from '../../domain/compute/key-pair.ts';
import { firstKeeping, image as imageFields, type Image } from '../../domain/image/image.ts';
import { computeKinds } from './compute.ts';
import type { Kept, Kind } from './kind.ts';
import { networkKinds } from './networks.ts';

export type StoredKeyPair = KeyPair & Kept;
export type StoredImage = Image & Kept;

/** What all kinds begin with. */
const first = { schema: 1, upgrades: [] } as const;

const key_pair: Kind<StoredKeyPair> = {
  name: 'key_pair',
  title: 'Key pair',
  ...first,
  fields: keyPair,
  taken: { uuid: 'A key pair with UUID * already exists.', key_pair_name: "Key pair '{own}' already exists." },
};

const image: Kind<StoredImage> = {
  name: 'image',
  title: 'Image',
  ...first,
  once: true,
  fields: imageFields,
  kept: firstKeeping,
  taken: { uuid: 'Image ID * already exists!' },
  indexes: {
    // Under each project that it is offered to, whatever that made of the offer.
    member: { of: ({ members }) => Object.keys(members) },
    // Deletions that began, for those that are cut off.
    going: { of: ({ status }) => (status === 'pending_delete' ? '' : undefined) },
  },
};

/** By their names. */
export const tenantKinds = { key_pair, image, ...computeKinds, ...networkKinds } as const;
