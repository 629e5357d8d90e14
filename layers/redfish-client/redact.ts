/** Secrets do not leave the client, even if a BMC repeats them in an error message. */
import { changeAndCut, hideInUrls, maxWords } from '../domain/foreign-text.ts';

/** Shorter ones cannot be told from ordinary text. */
const shortest = 4;

const mask = '******';

/**
 * Names that our own messages tell an operator to look at. They stay as they are when a secret is a part of one: blanked
 * they would help nobody, and tell that the password is "password".
 */
const ownNames = [
  'driver_info',
  'redfish_address',
  'redfish_username',
  'redfish_password',
  'redfish_verify_ca',
  'redfish_auth_type',
  'redfish_system_id',
  'agent_secret_token',
  'agent_verify_ca',
  'rescue_password',
];

const formsOf = (secrets: readonly string[]): string[] => [
  ...new Set(
    secrets
      .filter((secret) => secret.length >= shortest)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret.toWellFormed()),
        JSON.stringify(secret).slice(1, -1),
        Buffer.from(secret).toString('base64'),
      ])
      .sort((a, b) => b.length - a.length),
  ),
];

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

/** Finds the forms, and our own names (group 1) except where a form is more than a part of one. */
const patternOf = (forms: readonly string[]): RegExp => {
  const covers = (form: string) => ownNames.some((name) => form.includes(name));
  const own = String.raw`(?<!\w)(${ownNames.join('|')})(?!\w)`;
  return new RegExp(
    [...forms.filter(covers).map(literal), own, ...forms.filter((form) => !covers(form)).map(literal)].join('|'),
    'g',
  );
};

const redactor = (forms: readonly string[]) => {
  if (forms.length === 0) return (text: string) => hideInUrls(text, mask);
  const pattern = patternOf(forms);
  return (text: string) =>
    hideInUrls(
      text.replaceAll(pattern, (_found, own: string | undefined) => own ?? mask),
      mask,
    );
};

/**
 * A function that blanks the secrets in all their usual forms, and of every URL user, password and query (signatures,
 * tokens). It reads a text of any length, once.
 */
export const createRedactor = (secrets: readonly string[]): ((text: string) => string) => redactor(formsOf(secrets));

/** The same for messages, which it cuts to what people read. */
export const createMessageRedactor = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = formsOf(secrets);
  const redact = redactor(forms);
  const margin = Math.max(1024, ...forms.map(({ length }) => length));
  return (text) => changeAndCut(text, redact, maxWords, margin);
};

/** Blanks every string in a JSON value. */
export const redactJson = (redact: (text: string) => string, value: unknown): unknown => {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(redact, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactJson(redact, item)]));
};
