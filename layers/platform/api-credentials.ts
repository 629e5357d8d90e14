/** What an installation proves itself with to an API that it calls: the JSON of an SSM parameter, or of a file. */
import * as z from 'zod';

import { Fault } from '../domain/fault.ts';
import { isSafeUrl } from '../domain/safe-url.ts';
import { loginRequest, PlacedAccount, tokenIn, tokensUrl } from './service-account.ts';

/** HTTP takes these for parts of a header. */
const text = z
  .string()
  .min(1)
  .regex(/^[\x20-\x7e]+$/);

const Credentials = z.union([
  z.strictObject({ username: text.regex(/^[^:]+$/), password: z.string().min(1) }),
  z.strictObject({ token: text }),
  PlacedAccount,
]);

const misconfigured = (message: string) => new Fault('Configuration', 500, message);

/** Throws Fault `Configuration` for a text of another form, without it: it may be a password. */
const read = (json: string): z.output<typeof Credentials> => {
  try {
    return Credentials.parse(JSON.parse(json));
  } catch {
    throw misconfigured(
      'The credentials are not {"username": "...", "password": "..."}, {"token": "..."}, or a service account of Keystone: auth_url, username, password, project_name, or auth_url, application_credential_id, application_credential_secret.',
    );
  }
};

/** Throws Fault `Configuration` without the password, and what fetch throws. */
const logIn = async (
  { auth_url: url, ...account }: z.output<typeof PlacedAccount>,
  patience: number,
): Promise<string> => {
  if (!isSafeUrl(url)) throw misconfigured('auth_url has to be an https URL, because the password travels there.');
  const answer = await fetch(tokensUrl(url), { ...loginRequest(account), signal: AbortSignal.timeout(patience) });
  const token = tokenIn(answer);
  if (token !== undefined) return token;
  throw misconfigured(`The identity service answered ${answer.status} to the service account.`);
};

/** A token goes where Keystone looks for it and where OpenID Connect does. */
const byToken = (token: string) => ({ 'X-Auth-Token': token, Authorization: `Bearer ${token}` });

/**
 * The headers that prove it; a service account of Keystone gets a token for them, for which it waits `patience` ms. Throws
 * Fault `Configuration`, and what fetch throws.
 */
export const credentialHeaders = async (json: string, patience: number): Promise<Readonly<Record<string, string>>> => {
  const credentials = read(json);
  if ('token' in credentials) return byToken(credentials.token);
  if ('auth_url' in credentials) return { 'X-Auth-Token': await logIn(credentials, patience) };
  const { username, password } = credentials;
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
};
