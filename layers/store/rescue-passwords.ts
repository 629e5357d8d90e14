/**
 * The password of a rescue run: sealed, in an item of its own that only the BMC proxy reads. What is sealed is a
 * hash already (crypt(3)); the password itself is stored nowhere. The item goes with the run, however that ends.
 */
import type { Write } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';

/** The name under which the proxy opens it. */
export const rescuePasswordName = 'rescue_password';

/** A node has one at most: that of its rescue run. */
export const rescuePasswordKey = companions.rescue_password.key;

/** Belongs in the transaction that begins the run. */
export const rescuePasswordWrite = (uuid: string, sealed: string): Write =>
  companions.rescue_password.put(uuid, { sealed });
