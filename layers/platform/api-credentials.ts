/** What an installation proves itself with to an API that it calls: the JSON of an SSM parameter, or of a file. */
import * as z from 'zod';

import { Fault } from '../domain/fault.ts';

/** HTTP takes these for parts of a header. */
const text = z
  .string()
  .min(1)
  .regex(/^[\x20-\x7e]+$/);

const Credentials = z.union([
  z.strictObject({ username: text.regex(/^[^:]+$/), password: z.string().min(1) }),
  z.strictObject({ token: text }),
]);

/** A token goes where Keystone looks for it and where OpenID Connect does. */
const headersOf = (credentials: z.output<typeof Credentials>): Record<string, string> => {
  if ('token' in credentials) {
    const { token } = credentials;
    return { 'X-Auth-Token': token, Authorization: `Bearer ${token}` };
  }
  const { username, password } = credentials;
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
};

/** The headers that prove it. Throws Fault `Configuration` for a text of another form, without it: it may be a password. */
export const credentialHeaders = (json: string): Readonly<Record<string, string>> => {
  try {
    return headersOf(Credentials.parse(JSON.parse(json)));
  } catch {
    throw new Fault(
      'Configuration',
      500,
      'The credentials are not {"username": "...", "password": "..."} or {"token": "..."}.',
    );
  }
};
