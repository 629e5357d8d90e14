/** Sealing on one machine: AES-256-GCM with the key file; the context is authenticated with the value. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import type { Opener, SealContext, Sealer } from '../../layers/platform/platform.ts';
import { sealable, Unsealable } from '../../layers/platform/secrets.ts';
import { readKey } from './key.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const form = 'local.1.';

const bound = ({ node, name, recipient }: SealContext) =>
  Buffer.from(JSON.stringify(recipient === undefined ? [node, name] : [node, name, recipient]));

/**
 * A sealed value is `local.1.` and base64url of nonce, ciphertext and tag. `path` is the key file, made at first use.
 * Throws Damaged (500) for a broken key file; `seal` TooLarge (413); `open` Unsealable (500).
 */
export const createSecrets = (path: string): Sealer & Opener => {
  const key = readKey(path);
  return {
    seal: async (plain, context) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(bound(context));
      const parts = [nonce, cipher.update(sealable(plain), 'utf8'), cipher.final(), cipher.getAuthTag()];
      return form + Buffer.concat(parts).toString('base64url');
    },
    open: async (sealed, context) => {
      try {
        const bytes = Buffer.from(sealed.startsWith(form) ? sealed.slice(form.length) : '', 'base64url');
        const nonce = bytes.subarray(0, nonceBytes);
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(bound(context));
        decipher.setAuthTag(bytes.subarray(-tagBytes));
        return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw Unsealable(context, error);
      }
    },
  };
};
