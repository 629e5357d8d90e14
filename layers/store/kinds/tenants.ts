/** Every kind of record in the tenants' table, a row each. Names differ from those of machines (`kinds.ts`). */
import { keyPair, type KeyPair } from '../../domain/compute/key-pair.ts';
import type { Kept, Kind } from './kind.ts';

export type StoredKeyPair = KeyPair & Kept;

/** What all kinds begin with. */
const first = { schema: 1, upgrades: [] } as const;

const key_pair: Kind<StoredKeyPair> = {
  name: 'key_pair',
  title: 'Key pair',
  ...first,
  fields: keyPair,
  taken: { uuid: 'A key pair with UUID * already exists.', key_pair_name: "Key pair '{own}' already exists." },
};

/** By their names. */
export const tenantKinds = { key_pair } as const;
