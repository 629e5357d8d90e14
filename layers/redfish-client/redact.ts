/** Secrets do not leave the client, even if a BMC repeats them in an error message. */

/** Shorter ones cannot be told from ordinary text. */
const shortest = 4;

const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
];

/** A function that blanks the secrets in all their usual forms, and the query of every URL (signatures, tokens). */
export const createRedactor =
  (secrets: readonly string[]) =>
  (text: string): string => {
    const hidden = secrets
      .filter((secret) => secret.length >= shortest)
      .flatMap(forms)
      .sort((a, b) => b.length - a.length)
      .reduce((rest, form) => rest.replaceAll(form, '******'), text);
    return hidden.replace(/(\bhttps?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1?******');
  };

/** Blanks every string in a JSON value. */
export const redactJson = (redact: (text: string) => string, value: unknown): unknown => {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactJson(redact, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactJson(redact, item)]));
};
