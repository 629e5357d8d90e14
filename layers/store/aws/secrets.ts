/** Sealing with AWS KMS. Values are small, so KMS encrypts them itself: no data keys, and each opening is audited. */
import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';

import { Unavailable } from '../../domain/fault.ts';
import type { Opener, Sealer } from '../ports.ts';
import { sealable, Unsealable } from '../secrets.ts';

// For ports.ts, which loads this file when it is needed, with the client.
export { KMSClient };

type Needs = { readonly client: KMSClient; readonly keyId: string };

/** KMS takes no empty text. The byte in front goes again when the value is opened. */
const mark = 's';

const failed = (what: string, keyId: string) => (error: unknown) => {
  throw Unavailable(`KMS could not ${what} with key ${keyId} (${(error as Error).name}), try again.`, error);
};

/** A sealed value is base64 of KMS's ciphertext; node and name are its encryption context. Throws Unavailable (503). */
export const createAwsSealer = ({ client, keyId }: Needs): Sealer => ({
  seal: async (plain, context) => {
    const Plaintext = Buffer.from(mark + sealable(plain));
    const input = { KeyId: keyId, Plaintext, EncryptionContext: { ...context } };
    const { CiphertextBlob } = await client.send(new EncryptCommand(input)).catch(failed('encrypt', keyId));
    return Buffer.from(CiphertextBlob!).toString('base64');
  },
});

/** Throws Unsealable (500) for what was sealed with another key or for another node or name; Unavailable (503). */
export const createAwsOpener = ({ client, keyId }: Needs): Opener => ({
  open: async (sealed, context) => {
    const CiphertextBlob = Buffer.from(sealed, 'base64');
    if (CiphertextBlob.length === 0) throw Unsealable(context);
    const input = { KeyId: keyId, CiphertextBlob, EncryptionContext: { ...context } };
    const { Plaintext } = await client.send(new DecryptCommand(input)).catch((error: unknown) => {
      const isWrong = error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException;
      throw isWrong ? Unsealable(context, error) : failed('decrypt', keyId)(error);
    });
    return Buffer.from(Plaintext!).subarray(mark.length).toString();
  },
});
