/** Users and their bcrypt hashes, in the format of Apache's htpasswd (ironic-rbac.md 1). */
import { compare } from 'bcryptjs';

import { Fault } from '../../layers/domain/fault.ts';

/** User name to hash. */
export type Users = ReadonlyMap<string, string>;

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

/** The users of a text; of two lines for one user the first counts. Throws Fault `Configuration` naming the line. */
export const parseUsers = (text: string): Users => {
  const users = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const [user, hash] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (colon < 1 || !bcrypt.test(hash)) {
      throw new Fault('Configuration', 500, `Line ${index + 1} of the htpasswd text is not user:bcrypt-hash.`);
    }
    if (!users.has(user)) users.set(user, hash);
  }
  if (users.size === 0) throw new Fault('Configuration', 500, 'The htpasswd text has no users.');
  return users;
};

/**
 * Whether this is the user's password. For an unknown user a hash is compared all the same, so that the time of the
 * answer does not tell which users there are.
 */
export const verify = async (users: Users, user: string, password: string): Promise<boolean> => {
  const known = users.get(user);
  const [decoy] = users.values();
  const fits = await compare(password, known ?? decoy!);
  return fits && known !== undefined;
};
