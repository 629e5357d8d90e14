/** The users of http_basic, from files that context names. They travel in the environment of the authorizer. */
import { readFileSync } from 'node:fs';

import { Invalid } from '../layers/domain/fault.ts';
import { readUsers, userLines } from '../layers/domain/users.ts';
import type { Context } from './context.ts';

/** What Lambda takes of a function's variables, in bytes. It measures them as JSON, as its own error shows. */
const maxEnvironment = 4096;

const files = [
  { context: 'htpasswd_file', format: 'htpasswd', variable: 'INGOT_HTPASSWD' },
  { context: 'users_file', format: 'users', variable: 'INGOT_USERS' },
] as const;
type FileContext = (typeof files)[number]['context'];

const readText = (context: FileContext, file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw Invalid(`Context ${context}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, error);
  }
};

/** The lines of a file, with the context that names it and the variable in which they travel. */
type UserFile = { readonly context: FileContext; readonly variable: string; readonly lines: readonly string[] };
export type UserFiles = readonly UserFile[];

/**
 * The users in the files that context names. Throws Invalid if one cannot be read, and Fault `Configuration` with the
 * number of a bad line.
 */
export const readUserFiles = (names: Pick<Context, FileContext>): UserFiles => {
  const sources = files.flatMap(({ context, format, variable }) => {
    const where = names[context];
    return where === undefined ? [] : [{ context, variable, format, where, text: readText(context, where) }];
  });
  // What is wrong between them.
  readUsers(sources);
  return sources.map(({ context, variable, ...source }) => ({ context, variable, lines: userLines(source) }));
};

const environmentWith = (given: UserFiles): Record<string, string> =>
  Object.fromEntries(given.map(({ variable, lines }) => [variable, lines.join('\n')]));

const bytesOf = (environment: Readonly<Record<string, string>>): number =>
  Buffer.byteLength(JSON.stringify(environment));

/** As many of each, in order, as `count` lets: the first file first. */
const first = (given: UserFiles, count: number): UserFiles => {
  let left = count;
  return given.map((one) => {
    const lines = one.lines.slice(0, left);
    left -= lines.length;
    return { ...one, lines };
  });
};

/**
 * The variables with all users beside those that the function has anyway. Throws Invalid when Lambda would not take them
 * all.
 */
export const userVariables = (
  given: UserFiles,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const count = given.reduce((sum, { lines }) => sum + lines.length, 0);
  const fits = (some: number): boolean =>
    bytesOf({ ...others, ...environmentWith(first(given, some)) }) <= maxEnvironment;
  if (!fits(count)) {
    const most = Array.from({ length: count }, (_none, at) => at).findLast(fits) ?? 0;
    throw Invalid(
      `Context ${given.map(({ context }) => context).join(' and ')} has ${count} users, and only the first ${most} fit into the ` +
        `${maxEnvironment} bytes that Lambda gives to variables. Keep the others at a path of SSM parameters ` +
        '(users_path), or let oidc or keystone know them (auth_strategy).',
    );
  }
  return environmentWith(given);
};
