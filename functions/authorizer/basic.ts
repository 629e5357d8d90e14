/** http_basic: users that the operator keeps in files or in parameters, administrators of the system and users of projects. */
import { readFileSync } from 'node:fs';

import { namesFile, readUsers, sourcesOf, type Users } from '../../layers/domain/users.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import { headerOf, type Event, type Identify, type Identity, refusal } from './identity.ts';
import { createVerify, type Verify } from './password.ts';
import { createStored } from './stored.ts';

type Deps = Pick<Platform, 'parameters' | 'clock'>;

type Credentials = { readonly user: string; readonly password: string };

/** Of `Authorization: Basic base64(user:password)`, the scheme in any case. Undefined for anything else. */
const credentialsOf = (event: Event): Credentials | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(headerOf(event, 'authorization') ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
};

const identify = async (verify: Verify, users: Users, given: Credentials | undefined): Promise<Identity> => {
  const found = given && (await verify(users, given.user, given.password));
  if (!found) throw refusal();
  const { project, roles } = found;
  return {
    user: given.user,
    user_name: given.user,
    ...(project !== null && { project, project_name: project }),
    roles,
    scope: project === null ? 'system' : 'project',
  };
};

/**
 * Throws Fault `Configuration` (500) if a file of users cannot be used. Files are read each time, so a changed one counts
 * as soon as the cached answers are over. Who is in one is not looked for among the parameters.
 */
export const createBasic = (deps: Deps, { users: places, usersPath }: Config): Identify => {
  const read = (): Users => readUsers(sourcesOf(places, (file) => readFileSync(file, 'utf8')));
  const fixed = namesFile(places) ? undefined : read();
  const find = usersPath === '' ? async () => undefined : createStored(deps, usersPath);
  const verify = createVerify();
  return async (event) => {
    const [users, given] = [fixed ?? read(), credentialsOf(event)];
    const stored = given && !users.has(given.user) ? await find(given.user) : undefined;
    return identify(verify, stored ? new Map([...users, [given!.user, stored]]) : users, given);
  };
};

/**
 * Before all others there is the service user of the installation, if it has one: her functions prove themselves with a
 * password, however people do.
 */
export const besideService = ({ service: text }: Config, others: Identify): Identify => {
  if (text === '') return others;
  const users = readUsers([{ format: 'users', where: 'INGOT_SERVICE_USER', text }]);
  const verify = createVerify();
  return async (event) => {
    const given = credentialsOf(event);
    return given && users.has(given.user) ? identify(verify, users, given) : others(event);
  };
};

/**
 * Before those who are let in without a password: users of the operator's files, if there are any, who are what they are
 * there, so that what a tenant sees can be tried. Whoever gives a name that is not theirs is refused like everywhere.
 */
export const besideUsers = (deps: Deps, config: Config, others: Identify): Identify => {
  if (sourcesOf(config.users, () => '').length === 0) return others;
  const basic = createBasic(deps, config);
  return async (event) => (credentialsOf(event) ? basic(event) : others(event));
};
