/** http_basic: users of an htpasswd file. Everybody in it is the system's administrator (ironic-rbac.md 1). */
import { readFile } from 'node:fs/promises';

import { parseUsers } from '../../layers/domain/htpasswd.ts';
import type { Config } from './config.ts';
import { headerOf, type Event, type Identify, refusal } from './identity.ts';
import { verify } from './password.ts';

type Credentials = { readonly user: string; readonly password: string };

/** Of `Authorization: Basic base64(user:password)`, the scheme in any case. Undefined for anything else. */
const credentialsOf = (event: Event): Credentials | undefined => {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(headerOf(event, 'authorization') ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
};

/**
 * Throws Fault `Configuration` (500) if the file of users cannot be used. It is read each time, so a changed one counts
 * as soon as the cached answers are over.
 */
export const createBasic = ({ htpasswd, htpasswdFile }: Config): Identify => {
  const fixed = htpasswd === '' ? undefined : parseUsers(htpasswd);
  const users = async () => fixed ?? parseUsers(await readFile(htpasswdFile, 'utf8'), htpasswdFile);
  return async (event) => {
    const given = credentialsOf(event);
    if (!given || !(await verify(await users(), given.user, given.password))) throw refusal();
    return { user: given.user, roles: ['admin'], scope: 'system' };
  };
};
