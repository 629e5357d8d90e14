/**
 * oidc: a JWT of an OpenID provider as bearer token. Signature, issuer, audience and times are checked by `jose`
 * against the provider's published keys; project and roles are claims whose names the operator sets.
 */
import type * as Jose from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';

import { Unavailable } from '../../layers/domain/fault.ts';
import { isSafeUrl } from '../../layers/domain/safe-url.ts';
import type { Config } from './config.ts';
import { headerOf, type Identify, type Identity, knownRoles, refusal } from './identity.ts';

type Settings = Config['oidc'];

/** Signatures that only the provider can make: with a shared secret whoever verifies could also sign. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Milliseconds for one request to the provider. */
const patience = 5000;
/** Seconds by which the clocks of provider and authorizer may differ. */
const tolerance = 30;

const unreachable = (cause: unknown) =>
  Unavailable('The OpenID provider did not say which keys it signs with, so nobody can be let in. Try again.', cause);

/** The value of a claim; a name with dots that is no claim itself is a path, as in `realm_access.roles`. */
const claimOf = (claims: JWTPayload, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name];
  const inner = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return name.split('.').reduce(inner, claims);
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A list, or words with spaces between them as in the claim `scope`. */
const rolesOf = (value: unknown): string[] => {
  const names = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return knownRoles(names.filter((name) => typeof name === 'string'));
};

const identityOf = (claims: JWTPayload, names: Settings): Identity => {
  const system = claimOf(claims, names.systemClaim);
  const text = (claim: string) => textOf(claimOf(claims, claim));
  return {
    user: text(names.userClaim) ?? claims.sub!,
    user_name: text(names.userNameClaim),
    project: text(names.projectClaim),
    project_name: text(names.projectNameClaim),
    roles: rolesOf(claimOf(claims, names.rolesClaim)),
    scope: system === true || system === 'all' || system === 'true' ? 'system' : 'project',
    expires_at: claims.exp! * 1000,
  };
};

/** Where the provider publishes its keys (OpenID Connect Discovery 1.0, section 4). Throws Unavailable (503). */
const discover = async (issuer: string): Promise<string> => {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(patience) });
    const { issuer: named, jwks_uri: keys } = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
    // Section 4.3: else whoever serves this page could speak for another issuer.
    if (named !== issuer || typeof keys !== 'string') throw new Error(`${url} is not the page of this issuer.`);
    // Who can change keys on their way to us can sign as anybody.
    if (!isSafeUrl(keys)) throw new Error(`${url} names keys that are not behind https.`);
    return keys;
  } catch (error) {
    throw unreachable(error);
  }
};

const openKeys = async ({ createRemoteJWKSet }: typeof Jose, { issuer, jwksUri }: Settings): Promise<JWTVerifyGetKey> =>
  createRemoteJWKSet(new URL(jwksUri || (await discover(issuer))), { timeoutDuration: patience });

/** Of ID tokens: what binds them to a login or to what was handed over with them (OpenID Connect Core 1.0, 2 and 3.3). */
const ofLogins = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/**
 * Whether a token tells a client who logged in, and does not let anybody call an API. Access tokens say so in their
 * header (RFC 9068), or in a claim: `typ` of Keycloak, `token_use` of Cognito. Of a token without any of that nobody can
 * tell; its audience has to be that of this API all the same.
 */
const isForLogin = ({ typ }: { readonly typ?: string }, claims: JWTPayload): boolean => {
  if (/^(application\/)?at\+jwt$/i.test(typ ?? '')) return false;
  if (typeof claims['typ'] === 'string') return claims['typ'].toLowerCase() !== 'bearer';
  if (typeof claims['token_use'] === 'string') return claims['token_use'] !== 'access';
  return ofLogins.some((name) => Object.hasOwn(claims, name));
};

/** What is wrong with the token; any other error is about the keys. */
const isRefused = ({ errors }: typeof Jose, error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys;

/** The keys are kept, and asked for again when a token names one that is not among them (jose's cooldown: 30 s). */
export const createOidc = ({ oidc }: Config): Identify => {
  let opened: Promise<{ jose: typeof Jose; keys: JWTVerifyGetKey }> | undefined;
  const open = async () => {
    const jose = await import('jose');
    return { jose, keys: await openKeys(jose, oidc) };
  };
  const { issuer, audience } = oidc;
  return async (event) => {
    const [, token] = /^bearer +(\S+)$/i.exec(headerOf(event, 'authorization') ?? '') ?? [];
    if (token === undefined) throw refusal();
    opened ??= open();
    const { jose, keys } = await opened.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const required = { issuer, audience, algorithms, clockTolerance: tolerance, requiredClaims: ['exp', 'sub'] };
    const { payload, protectedHeader } = await jose.jwtVerify(token, keys, required).catch((error: unknown) => {
      throw isRefused(jose, error) ? refusal() : unreachable(error);
    });
    if (isForLogin(protectedHeader, payload)) throw refusal();
    return identityOf(payload, oidc);
  };
};
