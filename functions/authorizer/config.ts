/** Settings of the authorizer, from its environment. */
import * as z from 'zod';

import { isSafeUrl } from '../../layers/domain/safe-url.ts';

/** What a strategy cannot do without, with what is said if it is not there. */
const needs = [
  {
    strategy: 'noauth',
    variable: 'INGOT_AUTH_STRATEGY',
    met: ({ loopback }: Settings) => loopback,
    message: 'noauth lets everybody do everything, so it is possible on a loopback address only; use http_basic',
  },
  {
    strategy: 'http_basic',
    variable: 'INGOT_HTPASSWD',
    met: ({ users, usersPath }: Settings) => usersPath !== '' || Object.values(users).some((given) => given !== ''),
    message:
      'http_basic needs users: lines made with "htpasswd -nB <user>", here or in the file INGOT_HTPASSWD_FILE names, or such with project and roles in INGOT_USERS or INGOT_USERS_FILE',
  },
  {
    strategy: 'oidc',
    variable: 'INGOT_OIDC_ISSUER',
    met: ({ oidc }: Settings) => isSafeUrl(oidc.issuer) && (oidc.jwksUri === '' || isSafeUrl(oidc.jwksUri)),
    message: 'oidc needs the https URL of the issuer, and INGOT_OIDC_JWKS_URI, if it is given, to be one too',
  },
  {
    strategy: 'oidc',
    variable: 'INGOT_OIDC_AUDIENCE',
    met: ({ oidc }: Settings) => oidc.audience !== '',
    message: 'oidc needs the audience that tokens for this API are made for; else tokens for other services would do',
  },
  {
    strategy: 'keystone',
    variable: 'INGOT_KEYSTONE_AUTH_URL',
    met: ({ keystone }: Settings) => isSafeUrl(keystone.authUrl),
    message: 'keystone needs the https URL of the Identity v3 endpoint',
  },
  {
    strategy: 'keystone',
    variable: 'INGOT_KEYSTONE_CREDENTIALS',
    met: ({ keystone }: Settings) => keystone.credentials !== '',
    message:
      'keystone needs the service account that validates tokens: the name of an SSM parameter, on one machine the path of a file',
  },
] as const;

/**
 * INGOT_HTPASSWD holds the lines of an htpasswd file, INGOT_HTPASSWD_FILE names one; INGOT_USERS and INGOT_USERS_FILE the
 * same of users with project and roles (layers/domain/users.ts). Hashes may stand in an environment variable, passwords
 * never: INGOT_USERS_PATH and INGOT_KEYSTONE_CREDENTIALS only say where more users and the service account are.
 * The one-machine runner alone sets INGOT_LOOPBACK, as it listens on a loopback address and refuses web pages and proxies,
 * and INGOT_SERVICE_USER, the line of the user as whom the functions of this installation call its APIs.
 */
const Environment = z
  .object({
    INGOT_AUTH_STRATEGY: z.enum(['noauth', 'http_basic', 'oidc', 'keystone']),
    INGOT_LOOPBACK: z.stringbool().default(false),
    INGOT_HTPASSWD: z.string().default(''),
    INGOT_HTPASSWD_FILE: z.string().default(''),
    INGOT_USERS: z.string().default(''),
    INGOT_USERS_FILE: z.string().default(''),
    INGOT_USERS_PATH: z.string().default(''),
    INGOT_SERVICE_USER: z.string().default(''),
    INGOT_OIDC_ISSUER: z.string(),
    INGOT_OIDC_AUDIENCE: z.string(),
    INGOT_OIDC_JWKS_URI: z.string(),
    INGOT_OIDC_USER_CLAIM: z.string(),
    INGOT_OIDC_USER_NAME_CLAIM: z.string(),
    INGOT_OIDC_PROJECT_CLAIM: z.string(),
    INGOT_OIDC_PROJECT_NAME_CLAIM: z.string(),
    INGOT_OIDC_ROLES_CLAIM: z.string(),
    INGOT_OIDC_SYSTEM_CLAIM: z.string(),
    INGOT_KEYSTONE_AUTH_URL: z.string(),
    INGOT_KEYSTONE_CREDENTIALS: z.string(),
    INGOT_KEYSTONE_SERVICE_PROJECT: z.string(),
    INGOT_KEYSTONE_SERVICE_PROJECT_DOMAIN: z.string(),
  })
  .transform((env) => ({
    strategy: env.INGOT_AUTH_STRATEGY,
    loopback: env.INGOT_LOOPBACK,
    users: {
      INGOT_HTPASSWD: env.INGOT_HTPASSWD,
      INGOT_HTPASSWD_FILE: env.INGOT_HTPASSWD_FILE,
      INGOT_USERS: env.INGOT_USERS,
      INGOT_USERS_FILE: env.INGOT_USERS_FILE,
    },
    usersPath: env.INGOT_USERS_PATH,
    service: env.INGOT_SERVICE_USER,
    oidc: {
      issuer: env.INGOT_OIDC_ISSUER,
      audience: env.INGOT_OIDC_AUDIENCE,
      jwksUri: env.INGOT_OIDC_JWKS_URI,
      userClaim: env.INGOT_OIDC_USER_CLAIM,
      userNameClaim: env.INGOT_OIDC_USER_NAME_CLAIM,
      projectClaim: env.INGOT_OIDC_PROJECT_CLAIM,
      projectNameClaim: env.INGOT_OIDC_PROJECT_NAME_CLAIM,
      rolesClaim: env.INGOT_OIDC_ROLES_CLAIM,
      systemClaim: env.INGOT_OIDC_SYSTEM_CLAIM,
    },
    keystone: {
      authUrl: env.INGOT_KEYSTONE_AUTH_URL,
      credentials: env.INGOT_KEYSTONE_CREDENTIALS,
      serviceProject: env.INGOT_KEYSTONE_SERVICE_PROJECT,
      serviceDomain: env.INGOT_KEYSTONE_SERVICE_PROJECT_DOMAIN,
    },
  }));

type Settings = z.output<typeof Environment>;

export const Config = Environment.superRefine((settings, context) => {
  const missing = needs.find((need) => need.strategy === settings.strategy && !need.met(settings));
  if (missing) context.addIssue({ code: 'custom', path: [missing.variable], message: missing.message });
});

export type Config = Settings;
