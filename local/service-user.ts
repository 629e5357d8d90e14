/** The user as whom the functions of this installation call its APIs. He is another one at each start. */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';

import { hashSync } from 'bcryptjs';

import type { Settings } from '../infra/settings.ts';

/** `file`: what the functions prove; `line`: what the authorizer knows of it. Both are empty if nobody is asked. */
export type ServiceUser = { readonly file: string; readonly line: string };

const name = 'ingot-service';
/** Nobody guesses 32 random bytes, so the least that bcrypt does is enough, and each start waits for it. */
const cost = 4;

/** Makes the file anew, for its owner only, and takes away an old one that is of no use any more. */
export const makeServiceUser = (file: string, { auth_strategy: strategy }: Settings): ServiceUser => {
  rmSync(file, { force: true });
  if (strategy === 'noauth') return { file: '', line: '' };
  const password = randomBytes(32).toString('base64url');
  writeFileSync(file, `${JSON.stringify({ username: name, password })}\n`, { mode: 0o600, flag: 'wx' });
  return { file, line: `${name}:${hashSync(password, cost)}:*:service` };
};
