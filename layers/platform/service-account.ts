/** A service account at an Identity v3 server (Keystone), and the token that it gets there. */
import * as z from 'zod';

const domain = { user_domain_name: z.string().default('Default'), project_domain_name: z.string().default('Default') };

const user = z.object({ username: z.string(), password: z.string(), project_name: z.string(), ...domain });

const applicationCredential = z.object({
  application_credential_id: z.string(),
  application_credential_secret: z.string(),
});

/** As JSON: a user with a project, or an application credential. */
export const ServiceAccount = z.union([user, applicationCredential]);
export type ServiceAccount = z.output<typeof ServiceAccount>;

/** What an account that says itself where it is known has besides. */
const at = { auth_url: z.string() };

/** The same with the URL of its identity service, and nothing else in it. */
export const PlacedAccount = z.union([
  z.strictObject({ ...user.shape, ...at }),
  z.strictObject({ ...applicationCredential.shape, ...at }),
]);

const identityBody = (account: ServiceAccount): object => {
  if ('application_credential_id' in account) {
    const { application_credential_id: id, application_credential_secret: secret } = account;
    return { identity: { methods: ['application_credential'], application_credential: { id, secret } } };
  }
  const { username: name, password, project_name, user_domain_name, project_domain_name } = account;
  return {
    identity: { methods: ['password'], password: { user: { name, password, domain: { name: user_domain_name } } } },
    scope: { project: { name: project_name, domain: { name: project_domain_name } } },
  };
};

/** Where tokens are made and looked at. `authUrl`: with or without `/v3`. */
export const tokensUrl = (authUrl: string): string =>
  `${authUrl.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3/auth/tokens`;

/** The request that makes a token. Redirects are refused: the password would travel along. */
export const loginRequest = (account: ServiceAccount) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ auth: identityBody(account) }),
  redirect: 'error' as const,
});

/** The token in the answer; undefined where there is none. */
export const tokenIn = ({ status, headers }: Pick<Response, 'status' | 'headers'>): string | undefined =>
  status === 201 ? (headers.get('X-Subject-Token') ?? undefined) : undefined;
