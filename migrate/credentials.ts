/** Who asks a service, by the options of a command. Secrets come from the environment or from files, never from options. */
import { readFileSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';
import { keystoneToken } from './keystone.ts';
import type { Credentials } from './service.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a file that an option names. Throws Invalid. */
export const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Invalid(`The file ${path} can not be read.`, error);
  }
};

/** A secret out of a file, or else of a variable, without the end of its line; undefined if neither has one. */
export const secretIn = (file: string | undefined, variable: string, env: Environment): string | undefined => {
  const text = file === undefined ? env[variable] : textOf(file);
  return text?.replace(/\r?\n$/, '') || undefined;
};

const needed = (file: string | undefined, variable: string, env: Environment, what: string): string => {
  const found = secretIn(file, variable, env);
  if (found === undefined) throw Invalid(`There is no ${what}: put it into ${variable} or a file.`);
  return found;
};

/** The options of a service; `of` is what they begin with. */
type Values<Of extends string> = {
  readonly [name in `${Of}auth`]: string;
} & {
  readonly [name in `${Of}${'user' | 'password-file' | 'token-file' | 'auth-url' | 'domain' | 'project'}`]?:
    | string
    | undefined;
};

/** A file may have got another one by the time that the first is not taken any more. */
const tokens = (file: string | undefined, variable: string, env: Environment, what: string) => {
  const read = () => needed(file, variable, env, what);
  // What is not there is told before anything is done.
  read();
  return async (refused?: string) => {
    const token = read();
    return token === refused ? undefined : token;
  };
};

/** `variable`: what the names of its variables begin with. Throws Invalid. */
export const credentialsOf = <const Of extends '' | 'compute-' | 'source-'>(
  given: Values<Of>,
  of: Of,
  variable: string,
  env: Environment,
): Credentials => {
  const values = given as Readonly<Record<string, string | undefined>>;
  const auth = values[`${of}auth`];
  if (auth === 'none') return { auth };
  if (auth === 'token') {
    return { auth, take: tokens(values[`${of}token-file`], `${variable}_TOKEN`, env, `token for --${of}auth`) };
  }
  if (auth !== 'basic' && auth !== 'keystone') {
    throw Invalid(`--${of}auth is none, basic, token or keystone, not "${auth}".`);
  }
  const user = values[`${of}user`];
  if (user === undefined) throw Invalid(`--${of}auth ${auth} needs --${of}user.`);
  const password = needed(values[`${of}password-file`], `${variable}_PASSWORD`, env, `password for --${of}auth`);
  if (auth === 'basic') return { auth, user, password };
  const url = values[`${of}auth-url`];
  if (url === undefined) throw Invalid(`--${of}auth keystone needs --${of}auth-url, its URL with the version: .../v3.`);
  const { [`${of}domain`]: domain = 'Default', [`${of}project`]: project } = values;
  return { auth: 'token', take: async () => keystoneToken({ url, user, password, domain, project }) };
};
