/**
 * The password hash "$5$" of crypt(3), which rescue ramdisks take (ironic-deploy.md 4; U. Drepper, "Unix crypt using
 * SHA-256"). Node has no crypt(3), and agents of today refuse a password that is not hashed.
 */
import { createHash } from 'node:crypto';

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Of the most to the least significant byte; the last group has no third one. */
const order = [
  [0, 10, 20],
  [21, 1, 11],
  [12, 22, 2],
  [3, 13, 23],
  [24, 4, 14],
  [15, 25, 5],
  [6, 16, 26],
  [27, 7, 17],
  [18, 28, 8],
  [9, 19, 29],
] as const;

const digits = (value: number, count: number): string =>
  Array.from({ length: count }, (_, at) => alphabet[(value >> (6 * at)) & 63]).join('');

const encode = (digest: Uint8Array): string =>
  [
    ...order.map(([a, b, c]) => digits((digest[a]! << 16) | (digest[b]! << 8) | digest[c]!, 4)),
    digits((digest[31]! << 8) | digest[30]!, 3),
  ].join('');

/** `length` bytes of a digest that is repeated. */
const stretch = (digest: Buffer, length: number): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, () => digest)).subarray(0, length);

const times = (part: Uint8Array, count: number): Uint8Array[] => Array.from({ length: count }, () => part);

const mix = (key: Buffer, salt: Buffer): Buffer => {
  const alternate = sha256(key, salt, key);
  const parts: Uint8Array[] = [key, salt, stretch(alternate, key.length)];
  for (let left = key.length; left > 0; left >>= 1) parts.push(left & 1 ? alternate : key);
  return sha256(...parts);
};

const rounds = 5000;

/** `salt`: at most 16 characters of `./0-9A-Za-z`. The time grows with the password, so callers limit its length. */
export const sha256Crypt = (password: string, salt: string): string => {
  const [key, saltBytes] = [Buffer.from(password), Buffer.from(salt)];
  let digest = mix(key, saltBytes);
  const p = stretch(sha256(...times(key, key.length)), key.length);
  const s = stretch(sha256(...times(saltBytes, 16 + digest[0]!)), saltBytes.length);
  for (let round = 0; round < rounds; round += 1) {
    const odd = round % 2 === 1;
    digest = sha256(
      odd ? p : digest,
      ...(round % 3 === 0 ? [] : [s]),
      ...(round % 7 === 0 ? [] : [p]),
      odd ? digest : p,
    );
  }
  return `$5$${salt}$${encode(digest)}`;
};
