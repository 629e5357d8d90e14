/** Whether a password is a user's. */
import { createHmac, randomBytes } from 'node:crypto';

import { compare, truncates } from 'bcryptjs';

import type { User, Users } from '../../layers/domain/users.ts';

/** How many answers are remembered. */
const most = 1000;

/** Of nobody's password: what an unknown name costs where no user is at hand. The cost is that of stored users. */
const nobody = '$2b$10$Kxz78OfInZQfadLnhBpRW.LzkvVWK1Y7wZYfeF0HG01DZe2pL5z3C';

/** The user of this name, if this is the password; undefined else. */
export type Verify = (users: Users, name: string, password: string) => Promise<User | undefined>;

/**
 * Compares by bcrypt, which is slow on purpose, and answers what was asked before from memory: whoever asks again and again
 * shall not use up what others need. What is remembered tells no password, as its key is never written down; it is of one
 * name and one hash, so that a changed file counts, and that how long an answer takes tells nothing of other names.
 */
export const createVerify = (matches: (password: string, hash: string) => Promise<boolean> = compare): Verify => {
  const key = randomBytes(32);
  const answers = new Map<string, Promise<boolean>>();

  const fits = async (name: string, password: string, hash: string): Promise<boolean> => {
    const asked = createHmac('sha256', key)
      .update(JSON.stringify([name, password, hash]))
      .digest('base64');
    const answer = answers.get(asked) ?? matches(password, hash);
    answers.delete(asked);
    answers.set(asked, answer);
    const [oldest] = answers.keys();
    if (answers.size > most) answers.delete(oldest!);
    return answer;
  };

  // For an unknown name a hash is compared all the same, so that the time of the answer does not tell which users there
  // are. bcrypt reads 72 bytes: of a longer password the rest would not count, so that none of them is right.
  return async (users, name, password) => {
    const known = users.get(name);
    const [decoy] = users.values();
    const right = await fits(name, password, (known ?? decoy)?.hash ?? nobody);
    return right && !truncates(password) ? known : undefined;
  };
};
