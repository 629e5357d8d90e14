/**
 * Users of http_basic who are kept one by one, each as a text of its own under a name that tells his: any number of them,
 * and one is changed without the others. The text is his line of a file of users.
 */
import { Invalid } from './fault.ts';
import { readUsers, type User } from './users.ts';

/** Bytes of a name: longer ones are nobody's. */
const longest = 255;

const isPlain = /^[A-Za-z0-9.-]$/;

/** Letters, digits, dots and hyphens stay; of anything else each byte is `_` and two hexadecimal digits. */
const encode = (name: string): string =>
  Array.from(Buffer.from(name), (byte) => {
    const one = String.fromCharCode(byte);
    return isPlain.test(one) ? one : `_${byte.toString(16).padStart(2, '0')}`;
  }).join('');

/** Where the user of this name is kept; undefined for a name that nobody can have. */
export const placeOf = (path: string, name: string): string | undefined =>
  name === '' || Buffer.byteLength(name) > longest ? undefined : `${path}/${encode(name)}`;

/** The one user of a text, by name. Throws Fault `Configuration`, which names the place and not the text. */
export const readStored = (where: string, text: string): readonly [name: string, User] => {
  const [found] = readUsers([{ format: 'users', where, text }]);
  return found!;
};

/** The text of a user. Throws Invalid for a name, a project or a role that would not be read back. */
export const storedText = (name: string, { hash, project, roles }: User): string => {
  const text = [name, hash, project ?? '*', roles.join(',')].join(':');
  const isOther = () => {
    const [read, user] = readStored('the options', text);
    return read !== name || user.roles.join() !== roles.join();
  };
  if (name.startsWith('#') || /[:\p{Cc}]/u.test(name) || placeOf('', name) === undefined || isOther()) {
    throw Invalid(`"${name}" cannot be the name of a user: no colon, no space at its ends, at most ${longest} bytes.`);
  }
  return text;
};
