/** What is never shown to anybody (ironic-rbac.md 5): secrets, in the fields whose rows are `masked`. */
import type { Field, Fields } from './fields.ts';
import { hideUsers } from './foreign-text.ts';

/** Stands for a secret, in answers and in the stored record alike. */
export const mask = '******';

/**
 * What names of credentials have in them, without their separators. All but the last line are those of oslo.utils
 * (`mask_dict_password`), which Ironic goes by; the last is ours.
 */
const secretWords = `
  password adminpass newpass passphrase syspswd authtoken token secret configdrive encryptedkey privatekey fernetkey
  sslkey rabbitcookie keystonecredential cephclusterfsid octaviaheartbeatkey cephmanilaclientkey
  pacemakerremoteauthkey designaterndckey cephadminkey heatauthencryptionkey cephclientkey barbicansimplecryptokek
  cephrgwkey swifthashsuffix migrationsshkey cephmdskey cephmonkey
  passwd pswd pwd credential apikey accesskey authkey privkey snmpcommunity`;

const looksSecret = new RegExp(secretWords.trim().split(/\s+/).join('|'));
const separators = /[-_. ]/g;

/** Whether the value under this name is a credential, by the name alone: `admin_pass`, `adminPass`, `vnc_pass`. */
export const isSecretName = (name: string): boolean => {
  const word = name.toLowerCase().replaceAll(separators, '');
  return looksSecret.test(word) || /(?<!by|com)pass$/.test(word);
};

/**
 * A copy in which every value under a secret-looking name, at any depth, is the mask, and so is what stands before the @
 * of a URL.
 */
export const maskSecrets = (value: unknown): unknown => {
  if (typeof value === 'string') return hideUsers(value, mask);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? mask : maskSecrets(inner)]),
  );
};

/** How a field is masked; undefined: not at all. */
type Masked = Field['masked'];

const isListed = (masked: Masked, name: string): boolean =>
  masked !== undefined && masked !== true && masked.includes(name);

/** Whether what the value of such a field holds under this name is a secret. */
export const isMasked = (masked: Masked, name: string): boolean =>
  masked !== undefined && (isListed(masked, name) || isSecretName(name));

/** The value of such a field as it is shown. */
export const maskField = (masked: Masked, value: unknown): unknown => {
  if (masked === undefined) return value;
  if (masked === true || Array.isArray(value) || typeof value !== 'object' || value === null) return maskSecrets(value);
  return maskSecrets(
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isListed(masked, name) ? mask : inner])),
  );
};

/** A copy of a record, or of a part of it, in which every field of the table is masked as its row says. */
export const maskRecord = <R extends object>(rows: Fields, record: R): R =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      Object.hasOwn(rows, name) ? maskField(rows[name]!.masked, value) : value,
    ]),
  ) as R;

/** What a client sends back of such a field: a mask, at any depth, stands for the secret that is stored there. */
export const unmaskField = (masked: Masked, given: unknown, stored: unknown): unknown => {
  if (masked === undefined) return given;
  if (typeof given === 'string' && typeof stored === 'string' && given === hideUsers(stored, mask)) return stored;
  if (typeof given !== 'object' || given === null || typeof stored !== 'object' || stored === null) return given;
  const known = stored as Readonly<Record<string, unknown>>;
  const kept = (name: string, value: unknown): unknown => {
    if (!Object.hasOwn(known, name)) return value;
    return value === mask && isMasked(masked, name) ? known[name] : unmaskField(true, value, known[name]);
  };
  if (Array.isArray(given)) return given.map((value: unknown, at) => kept(String(at), value));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, kept(name, value)]));
};

/** Whether a text, or one at any depth of a value, has a mask in the place of the user of a URL. */
export const hasMaskedUser = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes(`://${mask}@`)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasMaskedUser);

/** Whether a mask is among the secrets of such a field, at any depth: one that stands for nothing that is stored. */
export const hasMask = (masked: Masked, value: unknown): boolean =>
  masked !== undefined && (isMaskIn(masked, value) || hasMaskedUser(value));

const isMaskIn = (masked: Masked, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => (inner === mask && isMasked(masked, name)) || isMaskIn(true, inner));
