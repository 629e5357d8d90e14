/** What is never shown to anybody, and what of a node its lessees do not see (ironic-rbac.md 5). */
import { notes, type Note, type Notes } from './notes.ts';
import { allows, type Owned, type Rule, type Subject } from './policy.ts';

/** Stands for a secret, in answers and in the stored record alike. */
export const mask = '******';

const looksSecret = /password|passwd|secret|token|auth_key|priv_key|private_key|snmp_community/i;

/** Whether the value under this name is a credential, by the name alone. */
export const isSecretName = (name: string): boolean => looksSecret.test(name);

/** A copy in which every value under a secret-looking name, at any depth, is the mask. */
export const maskSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? mask : maskSecrets(inner)]),
  );
};

/** What a client sends back of masked values: a mask, at any depth, stands for the secret that is stored there. */
export const unmaskSecrets = (given: unknown, stored: unknown): unknown => {
  if (typeof given !== 'object' || given === null || typeof stored !== 'object' || stored === null) return given;
  const known = stored as Readonly<Record<string, unknown>>;
  const kept = (name: string, value: unknown): unknown => {
    if (!Object.hasOwn(known, name)) return value;
    return value === mask && isSecretName(name) ? known[name] : unmaskSecrets(value, known[name]);
  };
  if (Array.isArray(given)) return given.map((value: unknown, at) => kept(String(at), value));
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, kept(name, value)]));
};

/** Whether a mask is among the secrets, at any depth: one that stands for nothing that is stored. */
export const hasMask = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => (inner === mask && isSecretName(name)) || hasMask(inner));

const hidden = ['configdrive', 'image_url'];

/** Whether instance_info shows the mask for what is under this name. */
export const isMaskedInfo = (name: string): boolean => hidden.includes(name) || isSecretName(name);

/** instance_info as it is shown: the configdrive and the image's URL are secrets too. */
export const maskInstanceInfo = (info: object): unknown =>
  maskSecrets(
    Object.fromEntries(Object.entries(info).map(([name, value]) => [name, hidden.includes(name) ? mask : value])),
  );

const isMaskedNote = (name: string): boolean =>
  Object.hasOwn(notes, name) && (notes as Readonly<Record<string, Note>>)[name]!.masked === true;

/** driver_internal_info as it is shown: a note without a row is judged by its name. */
export const maskNotes = (info: Notes): unknown =>
  maskSecrets(
    Object.fromEntries(Object.entries(info).map(([name, value]) => [name, isMaskedNote(name) ? mask : value])),
  );

type Withheld = { readonly rule: Rule; readonly notice: unknown };

/** Fields of a node with a rule of their own, and the words that clients read in their place. */
const withheld: Readonly<Record<string, Withheld>> = {
  last_error: {
    rule: 'baremetal:node:get:last_error',
    notice: '** Value Redacted - Requires baremetal:node:get:last_error permission. **',
  },
  reservation: {
    rule: 'baremetal:node:get:reservation',
    notice: '** Redacted - requires baremetal:node:get:reservation permission. **',
  },
  driver_internal_info: {
    rule: 'baremetal:node:get:driver_internal_info',
    notice: { content: '** Redacted - Requires baremetal:node:get:driver_internal_info permission. **' },
  },
  driver_info: {
    rule: 'baremetal:node:get:driver_info',
    notice: { content: '** Redacted - requires baremetal:node:get:driver_info permission. **' },
  },
};

/** Makes the function that names the fields of a node that this caller may not see. Few nodes have another answer. */
export const withheldFrom = (subject: Subject): ((node: Owned) => readonly string[]) => {
  if (allows('baremetal:node:get:filter_threshold', subject)) return () => [];
  return (node) => Object.keys(withheld).filter((name) => !allows(withheld[name]!.rule, subject, node));
};

/** What is shown of a node, with notices where it has these fields; also in place of null. */
export const withhold = (shown: Record<string, unknown>, names: readonly string[]): Record<string, unknown> => {
  for (const name of names) if (name in shown) shown[name] = withheld[name]!.notice;
  return shown;
};
