/** Whether a password is a user's. */
import { compare } from 'bcryptjs';

import type { Users } from '../../layers/domain/htpasswd.ts';

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
