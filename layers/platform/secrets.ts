/** What all implementations of Sealer and Opener say alike. */
import { Fault, TooLarge } from '../domain/fault.ts';
import type { SealContext } from './platform.ts';

/** AWS KMS encrypts 4096 bytes in one call (API reference, Encrypt); one is ours, see `aws/secrets.ts`. */
const maxSecretBytes = 4095;

/** The value, if it may be sealed. Throws TooLarge (413). */
export const sealable = (plain: string): string => {
  const bytes = Buffer.byteLength(plain);
  if (bytes > maxSecretBytes) {
    throw TooLarge(`A secret may have at most ${maxSecretBytes} bytes, this one has ${bytes}.`);
  }
  return plain;
};

/** A sealed value that does not open: changed, sealed with another key, or for another node, name or recipient. */
export const Unsealable = ({ node, name }: SealContext, cause?: unknown) =>
  new Fault(
    'Unsealable',
    500,
    `The stored secret ${name} of node ${node} cannot be opened: it was sealed with another key, or for another recipient. Set ${name} again.`,
    { cause },
  );
