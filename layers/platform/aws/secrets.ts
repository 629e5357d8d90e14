/** Sealing with AWS KMS. Values are small, so KMS encrypts them itself: no data keys, and each opening is audited. */
import { Unavailable } from '../../domain/fault.ts';
import type { Opener, Sealer } from '../platform.ts';
import { sealable, Unsealable } from '../secrets.ts';
import { type AwsJson, createAwsJson } from './json.ts';

// For platform.ts, which loads this file when it is needed, with the client.
export { createAwsJson };

/** `client`: of KMS. */
type Needs = { readonly client: AwsJson; readonly keyId: string };

/** KMS takes no empty text. The byte in front goes again when the value is opened. */
const mark = 's';

/** KMS's names for a value that was sealed otherwise, or changed. */
const wrongKey: ReadonlySet<string> = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

const failed = (what: string, keyId: string) => (error: unknown) => {
  throw Unavailable(`KMS could not ${what} with key ${keyId} (${(error as Error).name}), try again.`, error);
};

/** A sealed value is base64 of KMS's ciphertext; node and name are its encryption context. Throws Unavailable (503). */
export const createAwsSealer = ({ client, keyId }: Needs): Sealer => ({
  seal: async (plain, context) => {
    const Plaintext = Buffer.from(mark + sealable(plain)).toString('base64');
    const input = { KeyId: keyId, Plaintext, EncryptionContext: { ...context } };
    const answer = await client.call('Encrypt', input).catch(failed('encrypt', keyId));
    return (answer as { CiphertextBlob: string }).CiphertextBlob;
  },
});

/** Throws Unsealable (500) for what was sealed with another key or for another node or name; Unavailable (503). */
export const createAwsOpener = ({ client, keyId }: Needs): Opener => ({
  open: async (sealed, context) => {
    // Whatever else was in the value, KMS would say of its form that the request is wrong, not the value.
    const CiphertextBlob = Buffer.from(sealed, 'base64').toString('base64');
    if (CiphertextBlob === '') throw Unsealable(context);
    const input = { KeyId: keyId, CiphertextBlob, EncryptionContext: { ...context } };
    const answer = await client.call('Decrypt', input).catch((error: Error) => {
      throw wrongKey.has(error.name) ? Unsealable(context, error) : failed('decrypt', keyId)(error);
    });
    const { Plaintext } = answer as { Plaintext: string };
    return Buffer.from(Plaintext, 'base64').subarray(mark.length).toString();
  },
});
