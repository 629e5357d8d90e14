/** The users of http_basic on one machine, looked at before anything starts. The authorizer reads them by itself. */
import { readFileSync } from 'node:fs';

import type { Settings } from '../infra/settings.ts';
import { Fault, Invalid } from '../layers/domain/fault.ts';
import { readUsers, sourcesOf } from '../layers/domain/users.ts';
import type { Variables } from './environment.ts';

const nobody = () =>
  Invalid(
    'Nobody could call: auth_strategy http_basic, which is what real machines get, needs users. Make them with ' +
      "`htpasswd -nbB operator 'a good password' > htpasswd` and start with INGOT_HTPASSWD_FILE=htpasswd, or choose " +
      'another INGOT_AUTH_STRATEGY: oidc, keystone, or noauth for every program of this machine.',
  );

const readText = (file: string, variable: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault('Configuration', 500, `${variable}: ${file} cannot be read (${code}).`, { cause: error });
  }
};

/** The strategies that ask for users, and whether somebody has to be there. */
const needsUsers: Readonly<Record<string, boolean>> = { http_basic: true, noauth: false };

/**
 * Throws Invalid when http_basic is to be used and there are no users, and Fault `Configuration`, with the number of the
 * line, when they cannot be used.
 */
export const checkUsers = ({ auth_strategy: strategy }: Settings, variables: Variables): void => {
  const needed = needsUsers[strategy];
  if (needed === undefined) return;
  const sources = sourcesOf(variables, readText);
  if (sources.length > 0) readUsers(sources);
  else if (needed) throw nobody();
};
