/** Whether a password is a user's. */
import { compare, truncates } from 'bcryptjs';

import type { User, Users } from '../../layers/domain/users.ts';

/**
 * The user of this name, if this is the password; undefined else. For an unknown name a hash is compared all the same,
 * so that the time of the answer does not tell which users there are. bcrypt reads 72 bytes: of a longer password the rest
 * would not count, so that none of them is right.
 */
export const verify = async (users: Users, name: string, password: string): Promise<User | undefined> => {
  const known = users.get(name);
  const [decoy] = users.values();
  const fits = await compare(password, (known ?? decoy!).hash);
  return fits && !truncates(password) ? known : undefined;
};
