/**
 * What machines say went wrong. BMCs and agents say it in many forms, some of them twice in one answer: here their words
 * become one text, which our own sentences put in its place. Nothing of a text is changed before what is secret in it is
 * hidden: a password that lost a space would not be found any more. Who shows it cuts it (`foreign-text.ts`).
 */

const textsOf = (values: readonly unknown[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');

/** Each text once, in their order, as one. */
export const joinWords = (values: readonly unknown[]): string => [...new Set(textsOf(values))].join(' ');

/** Without what a longer one of them says again at its beginning or end: agents put the message into the details. */
const withoutEchoes = (texts: readonly string[]): string[] =>
  texts.filter((text) =>
    texts.every((other) => other.length <= text.length || !(other.startsWith(text) || other.endsWith(text))),
  );

/**
 * Of the `command_error` of a deploy agent: a text, or an object whose `details` may repeat its `message`; `type` names
 * the error where it says nothing else. Undefined if it says nothing (ironic-deploy.md 4).
 */
export const agentWords = (error: unknown): string | undefined => {
  if (typeof error === 'string') return joinWords([error]) || undefined;
  const { message, details, type } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const [first = '', second] = [...new Set(withoutEchoes(textsOf([message, details])))];
  if (second === undefined) return first || joinWords([type]) || undefined;
  return `${first}${/[.:!?]$/.test(first) ? '' : ':'} ${second}`;
};

/** Behind that is nothing that people read. */
const maxPage = 4096;

const titleOf = (page: string): string => /<title[^<>]{0,100}>([^<>]{0,200})</i.exec(page)?.[1] ?? '';

/** A page is worth its title. JSON that could not be read is worth nothing. */
const proseOf = (text: string): string => {
  const start = text.trimStart();
  if (start.startsWith('<')) return titleOf(start.slice(0, maxPage));
  return /^[[{"]/.test(start) ? '' : start;
};

/**
 * Of an answer that is no Redfish error: plain text as it is (sushy-tools), of a page its title, of other JSON what it
 * calls its message. `object`: the JSON object that the text is, if it is one; `hide` blanks what is secret.
 */
export const bodyWords = (
  text: string,
  object: Readonly<Record<string, unknown>> | undefined,
  hide: (text: string) => string,
): string => {
  if (object) return hide(joinWords([object['error'], object['message'], object['detail']]));
  // A slash that is escaped hides a URL from who looks for one.
  const plain = hide(hide(text).replaceAll(String.raw`\/`, '/'));
  return proseOf(plain).replaceAll(/\s+/g, ' ').trim();
};
