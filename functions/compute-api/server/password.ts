/** Passwords for guests. Nobody keeps one but sealed, and that until the guest was told it. */
import { randomInt } from 'node:crypto';

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

/** What a password is sealed for: it opens for this server alone. */
export const passwordContext = (server: string) => ({ node: server, name: 'admin_password' });
