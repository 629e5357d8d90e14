/** The users of http_basic, from a file that context names. They travel in the environment of the authorizer. */
import { readFileSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';
import { parseUsers, type Users } from '../layers/domain/htpasswd.ts';

/** What Lambda takes of a function's variables, in bytes. It measures them as JSON, as its own error shows. */
const maxEnvironment = 4096;

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Invalid(`Context htpasswd_file: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, error);
  }
};

/** The users in `file`. Throws Invalid if it cannot be read, and Fault `Configuration` with the number of a bad line. */
export const readUsers = (file: string): Users => parseUsers(readText(file), file);

const bytesOf = (environment: Readonly<Record<string, string>>): number =>
  Buffer.byteLength(JSON.stringify(environment));

/**
 * The variable with all `users` beside the variables that the function has anyway. Throws Invalid when Lambda would not
 * take them all.
 */
export const usersVariable = (users: Users, others: Readonly<Record<string, string>>): { INGOT_HTPASSWD: string } => {
  const lines = [...users].map((entry) => entry.join(':'));
  const fits = (count: number): boolean =>
    bytesOf({ ...others, INGOT_HTPASSWD: lines.slice(0, count).join('\n') }) <= maxEnvironment;
  if (!fits(lines.length)) {
    const most = lines.findLastIndex((_line, count) => fits(count));
    throw Invalid(
      `Context htpasswd_file has ${lines.length} users, and only the first ${most} fit into the ${maxEnvironment} bytes ` +
        'that Lambda gives to variables. Leave users out, or let oidc or keystone know them (auth_strategy).',
    );
  }
  return { INGOT_HTPASSWD: lines.join('\n') };
};
