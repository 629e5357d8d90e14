/** Passwords for guests. Nobody keeps one but sealed, and that until the guest was told it. */
import { randomInt } from 'node:crypto';

import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { Deps } from '../route.ts';

/** Without what looks alike. */
const letters = ['23456789', 'ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz'] as const;
const length = 12;

const one = (of: string): string => of[randomInt(of.length)]!;

/** A new one: digits, large and small letters, at least one of each. */
export const newPassword = (): string => {
  const all = letters.join('');
  const drawn = [...letters.map(one), ...Array.from({ length: length - letters.length }, () => one(all))];
  for (let at = drawn.length - 1; at > 0; at -= 1) {
    const other = randomInt(at + 1);
    [drawn[at], drawn[other]] = [drawn[other]!, drawn[at]!];
  }
  return drawn.join('');
};

/** A password as it is kept; it opens for this server (by UUID) alone. */
export const sealPassword = async ({ sealer }: Pick<Deps, 'sealer'>, uuid: string, password: string) =>
  sealer.seal(password, { node: uuid, name: serverCompanions.admin_password.name });

/** The write that keeps a password for its guest until the run has told it. */
export const passwordWrite = async (deps: Pick<Deps, 'sealer'>, uuid: string, password: string) =>
  serverCompanions.admin_password.put(uuid, { sealed: await sealPassword(deps, uuid, password) });
