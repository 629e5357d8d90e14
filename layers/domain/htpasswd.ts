/** Users and their bcrypt hashes, in the format of Apache's htpasswd (ironic-rbac.md 1). */
import { Fault } from './fault.ts';

/** User name to hash. */
export type Users = ReadonlyMap<string, string>;

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

/** How a line is made; bcrypt only, so with -B. */
const makeLine = 'htpasswd -nbB <user> <password>';

/**
 * The users of a text; of two lines for one user the first counts. `where` names the text in errors. Throws Fault
 * `Configuration` with the number of a line that is none, never with its content, and for a text without users.
 */
export const parseUsers = (text: string, where = 'the htpasswd text'): Users => {
  const users = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const [user, hash] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (colon < 1 || !bcrypt.test(hash)) {
      throw new Fault(
        'Configuration',
        500,
        `Line ${index + 1} of ${where} is not user:bcrypt-hash. Make it with: ${makeLine}`,
      );
    }
    if (!users.has(user)) users.set(user, hash);
  }
  if (users.size === 0) {
    throw new Fault('Configuration', 500, `There are no users in ${where}. A line for one is made with: ${makeLine}`);
  }
  return users;
};
