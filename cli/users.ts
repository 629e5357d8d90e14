/** `npx ingot users`: those of http_basic who stand in SSM parameters, one each (context users_path). */
import { hash, truncates } from 'bcryptjs';

import { Invalid, isFault } from '../layers/domain/fault.ts';
import { placeOf, readStored, storedText } from '../layers/domain/stored-users.ts';
import { openKeptParameters } from '../layers/platform/aws/kept-parameters.ts';
import { secretIn } from '../migrate/credentials.ts';
import { readArguments } from './arguments.ts';
import type { Command, World } from './command.ts';

const pathOption = { path: { type: 'string', default: '/ingot/users' } } as const;
const pathUsage = `
      --path PATH           where they are, as users_path of the deployment (/ingot/users); account and region are those of
                            AWS's own variables`;

/** Of the hash: each login that nobody remembers waits for it. */
const cost = 10;

/** Says of a user what is said of his parameter. */
const about = (code: number, words: string) => (error: unknown) => {
  throw isFault(error) && error.code === code ? Invalid(words, error) : error;
};

const nameIn = (positionals: readonly string[]): string => {
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) throw Invalid('One name of a user is wanted.');
  return name;
};

const placeIn = (path: string, name: string): string => {
  const place = placeOf(path.replace(/\/+$/, ''), name);
  if (place === undefined) throw Invalid(`"${name}" cannot be the name of a user.`);
  return place;
};

const passwordIn = (file: string | undefined, env: World['env']): string => {
  const password = secretIn(file, 'INGOT_PASSWORD', env);
  if (password === undefined) throw Invalid('There is no password: put it into INGOT_PASSWORD or a file.');
  if (truncates(password)) throw Invalid('The password has more than 72 bytes, which bcrypt would not read.');
  return password;
};

export const usersAdd: Command = {
  usage: '<name> [--project P] [--roles R,...] [--replace] [--password-file FILE] [--path PATH]',
  doc: `let somebody in by http_basic, without a deployment; the password is in INGOT_PASSWORD or --password-file
      --project P           whose user it is; none: the whole system's
      --roles R,...         member in a project, admin else
      --replace             give one that there is another password, project and roles${pathUsage}`,
  run: async (args, { env, print }) => {
    const { values, positionals } = readArguments(args, {
      ...pathOption,
      project: { type: 'string' },
      roles: { type: 'string' },
      replace: { type: 'boolean', default: false },
      'password-file': { type: 'string' },
    });
    const { project = null, path, replace } = values;
    const name = nameIn(positionals);
    const place = placeIn(path, name);
    const roles = (values.roles ?? (project === null ? 'admin' : 'member')).split(',');
    const password = passwordIn(values['password-file'], env);
    const text = storedText(name, { hash: await hash(password, cost), project, roles });
    await openKeptParameters(env)
      .put(place, text, replace)
      .catch(about(409, `There is a user ${name} already: --replace changes him.`));
    print(`${name} is let in from now on, as ${roles.join(', ')} of ${project ?? 'the whole system'}.`);
    return 0;
  },
};

export const usersRemove: Command = {
  usage: '<name> [--path PATH]',
  doc: `let somebody in no more; who was let in a moment ago may go on for up to six minutes${pathUsage}`,
  run: async (args, { env, print }) => {
    const { values, positionals } = readArguments(args, pathOption);
    const name = nameIn(positionals);
    await openKeptParameters(env)
      .remove(placeIn(values.path, name))
      .catch(about(404, `There is no user ${name} at ${values.path}.`));
    print(`${name} is let in no more, within six minutes.`);
    return 0;
  },
};

export const usersList: Command = {
  usage: '[--path PATH]',
  doc: `who is let in by http_basic besides those of the files, with project and roles${pathUsage}`,
  run: async (args, { env, print }) => {
    const { values } = readArguments(args, pathOption);
    for (const [place, text] of await openKeptParameters(env).list(values.path.replace(/\/+$/, ''))) {
      const [name, { project, roles }] = readStored(place, text);
      print(`${name}  ${project ?? '*'}  ${roles.join(',')}`);
    }
    return 0;
  },
};
