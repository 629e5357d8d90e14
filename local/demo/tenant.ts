/** Whom the demo's server is for: a user of a project, with a password that keeps nobody out who may do everything. */
import { hashSync } from 'bcryptjs';

export const tenant = { user: 'ann', password: 'blue', project: 'blue' } as const;

/** The least that bcrypt does: what it keeps is no secret, and each start waits for it. */
const cost = 4;

/** The users of this start: those of the operator (INGOT_USERS), if there are any, and the tenant. */
export const withTenant = (users = ''): string => {
  const line = `${tenant.user}:${hashSync(tenant.password, cost)}:${tenant.project}:member`;
  return users === '' ? line : `${users}\n${line}`;
};

/** What a request of hers has (RFC 7617). */
export const asTenant = {
  Authorization: `Basic ${Buffer.from(`${tenant.user}:${tenant.password}`).toString('base64')}`,
} as const;
