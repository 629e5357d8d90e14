/** Sealing with AWS KMS. Values are small, so KMS encrypts them itself: no data keys, and each opening is audited. */
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';

import { Unavailable } from '../../domain/fault.ts';
import type { Opener, Sealer } from '../platform.ts';
import { sealable, Unsealable } from '../secrets.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

type Needs = { readonly site?: Site; readonly keyId: string };

/** KMS takes no empty text. The byte in front goes again when the value is opened. */
const mark = 's';

/** KMS's names for a value that was sealed otherwise, or changed. */
const wrongKey: ReadonlySet<string> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

const failed = (what: string, keyId: string) => (error: Error) => {
  throw Unavailable(`KMS could not ${what} with key ${keyId} (${error.name}), try again.`, withoutWords(error));
};

/** A sealed value is base64 of KMS's ciphertext; node and name are its encryption context. Throws Unavailable (503). */
export const createAwsSealer = ({ site = {}, keyId }: Needs): Sealer => {
  const client = new KMSClient(settingsOf(site));
  return {
    seal: async (plain, context) => {
      const Plaintext = Buffer.from(mark + sealable(plain));
      const command = new EncryptCommand({ KeyId: keyId, Plaintext, EncryptionContext: { ...context } });
      const { CiphertextBlob } = await client.send(command).catch(failed('encrypt', keyId));
      return Buffer.from(CiphertextBlob!).toString('base64');
    },
  };
};

/** Throws Unsealable (500) for what was sealed with another key or for another node or name; Unavailable (503). */
export const createAwsOpener = ({ site = {}, keyId }: Needs): Opener => {
  const client = new KMSClient(settingsOf(site));
  return {
    open: async (sealed, context) => {
      const CiphertextBlob = Buffer.from(sealed, 'base64');
      // KMS would say of an empty one that the request is wrong, not the value.
      if (CiphertextBlob.length === 0) throw Unsealable(context);
      const command = new DecryptCommand({ KeyId: keyId, CiphertextBlob, EncryptionContext: { ...context } });
      const { Plaintext } = await client.send(command).catch((error: Error) => {
        throw wrongKey.has(error.name) ? Unsealable(context, withoutWords(error)) : failed('decrypt', keyId)(error);
      });
      return Buffer.from(Plaintext!).subarray(mark.length).toString();
    },
  };
};
