/**
 * Texts that others wrote: BMCs, agents, ramdisks. They may be of any length and may quote what they were given, so
 * they are cut, and URLs lose what is secret in them. Every function here reads a text once.
 */

/** Characters of any text that is kept for people: `last_error`, events, reasons. */
export const maxText = 4096;

/** Characters of such a text that say what went wrong; the rest says where, and what to do. */
export const maxReason = 3500;

/** Characters of a reason that are another's words, so that what is put around them is not cut for them. */
export const maxWords = 3000;

/** More is not even looked at: nothing behind it could be shown. */
const maxRead = 64 * 1024;

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const note = (length: number) => ` [...] (cut, it had ${length} characters)`;

/**
 * A JSON value that somebody sent, for a message that refuses it. What holds others is not shown: it may be of any size,
 * and it has no text that could be relied on, because a key of it can be called `toString`.
 */
export const quoted = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
};

/** At most `most` characters, no character in two; a text that was cut says so. `length`: what it had in the beginning. */
export const cutText = (text: string, most: number = maxText, length: number = text.length): string => {
  if (text.length <= most && length <= text.length) return text;
  const end = Math.max(0, Math.min(text.length, most - note(length).length));
  const whole = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
  return text.slice(0, whole) + note(length);
};

/**
 * `change` applied to no more of the text than can be shown. What it hides may begin before that end and be cut in two,
 * so the last `margin` characters are left out then.
 */
export const changeAndCut = (
  text: string,
  change: (text: string) => string,
  most: number = maxText,
  margin = 1024,
): string =>
  text.length <= maxRead
    ? cutText(change(text), most)
    : cutText(change(text.slice(0, maxRead)).slice(0, -margin), most, text.length);

/** The first place from `from` to `end` where one of the characters is; `end` if there is none. */
const placeOf = (text: string, characters: string, from: number, end = text.length): number => {
  let at = from;
  while (at < end && !characters.includes(text[at]!)) at += 1;
  return at;
};

const blank = ' \t\r\n\f\v\u00a0\u2028\u2029';
const endOfUrl = `${blank}"'<>`;
/** A quotation mark may be part of a password. */
const endOfHost = `${blank}"<>/?#`;

/**
 * URLs without user, password, query and fragment, in whose place `mark` stands if there were any. The host ends at
 * the next slash at the latest, so no part of a text is read more than twice.
 */
export const hideInUrls = (text: string, mark: string): string => {
  let shown = '';
  let done = 0;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', done)) {
    const host = at + 3;
    const endHost = placeOf(text, endOfHost, host);
    const user = text.slice(host, endHost).lastIndexOf('@') + 1;
    const end = placeOf(text, endOfUrl, user > 0 ? endHost : host);
    const query = placeOf(text, '?#', host + user, end);
    shown += text.slice(done, host);
    if (user > 0 && mark !== '') shown += `${mark}@`;
    shown += text.slice(host + user, query);
    if (query < end && mark !== '') shown += `?${mark}`;
    done = end;
  }
  return shown + text.slice(done);
};

/** URLs with `mark` in the place of user and password, if they have any; what stands behind the host stays. */
export const hideUsers = (text: string, mark: string): string => {
  let shown = '';
  let done = 0;
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', done)) {
    const host = at + 3;
    const end = placeOf(text, endOfHost, host);
    const user = text.slice(host, end).lastIndexOf('@') + 1;
    shown += text.slice(done, host) + (user > 0 ? `${mark}@` : '');
    done = host + user;
  }
  return shown + text.slice(done);
};

/**
 * What another said, for `last_error` and events. Agents quote the URLs that they were given, which may carry
 * credentials or a signature: only scheme, host and path are kept. A text of more than `most` characters is cut.
 */
export const plainText = (text: string, most: number = maxReason): string =>
  changeAndCut(text, (whole) => hideInUrls(whole, ''), most);

/** Without the run of this character at its end. A regular expression would look for that end from each of the run. */
export const withoutTail = (text: string, char: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
};

/** Without the runs of this character at both ends. */
export const withoutEnds = (text: string, char: string): string => {
  let start = 0;
  while (start < text.length && text[start] === char) start += 1;
  return withoutTail(text.slice(start), char);
};
