/** Public keys of SSH as authorized_keys has them (RFC 4253 6.6, RFC 5656, RFC 8709), and new ones. */
import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

import { Invalid } from '../../layers/domain/fault.ts';

/** By how many strings the body of a key has after its type. */
const parts: ReadonlyMap<string, number> = new Map([
  ['ssh-rsa', 2],
  ['ssh-ed25519', 1],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
  ['sk-ssh-ed25519@openssh.com', 2],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 3],
]);

/** The strings of a body, each after its length in four bytes; undefined if they do not fill it. */
const stringsOf = (body: Buffer): Buffer[] | undefined => {
  const found: Buffer[] = [];
  let at = 0;
  while (at + 4 <= body.length) {
    const end = at + 4 + body.readUInt32BE(at);
    if (end > body.length) return undefined;
    found.push(body.subarray(at + 4, end));
    at = end;
  }
  return at === body.length ? found : undefined;
};

const isKey = (type: string, body: Buffer): boolean => {
  const strings = stringsOf(body);
  return strings?.[0]?.toString('latin1') === type && strings.length - 1 === parts.get(type);
};

/** MD5 of a key, in pairs of hexadecimal digits. Throws Invalid (400) for a text that is no public key. */
export const fingerprintOf = (publicKey: string): string => {
  const [type = '', encoded = ''] = publicKey.trim().split(/\s+/);
  const body = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
  if (/[\r\n]/.test(publicKey.trim()) || !isKey(type, body)) {
    const known = [...parts.keys()].join(', ');
    throw Invalid(
      `Keypair data is invalid: public_key has to be one line of a .pub file, "type key comment", of type ${known}.`,
    );
  }
  // As Nova shows it; nothing rests on it.
  return createHash('md5').update(body).digest('hex').match(/../g)!.join(':');
};

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A positive number in as few bytes as hold it with a sign. */
const numberOf = (base64url: string): Buffer => {
  const bytes = Buffer.from(base64url, 'base64url');
  return bytes[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
};

const generate = promisify(generateKeyPair);

/** A new key: the line for authorized_keys, and the private half in PEM, which nobody keeps but whom it is told. */
export const newKey = async (comment: string): Promise<{ public_key: string; private_key: string }> => {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  const body = Buffer.concat([Buffer.from('ssh-rsa'), numberOf(e!), numberOf(n!)].map(withLength));
  return {
    public_key: `ssh-rsa ${body.toString('base64')} ${comment}`,
    private_key: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
};
