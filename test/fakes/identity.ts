/** Those who know who somebody is, on loopback: a Keystone (Identity v3), and an OpenID provider. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';

export type Seen = { readonly line: string; readonly headers: IncomingMessage['headers']; readonly body: string };

type Reply = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown };
type Serve = (seen: Seen) => Reply | 'silence';

const read = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
};

const send = (response: ServerResponse, reply: Reply | 'silence'): void => {
  if (reply === 'silence') return;
  response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
};

/** Answers with `serve`; `seen` are the requests so far. */
const listen = async (serve: Serve) => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const one = { line: `${request.method} ${request.url}`, headers: request.headers, body: await read(request) };
      seen.push(one);
      send(response, serve(one));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close').catch(() => undefined);
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, stop };
};

export type KeystoneToken = Record<string, unknown>;

/**
 * A Keystone with one service account (nova-like: user `ingot`, password `service-password`). `tokens` are what users
 * hold; `answer` replaces what it would say.
 */
export const startKeystone = async () => {
  const tokens = new Map<string, KeystoneToken>();
  const state: { own: string | undefined; count: number; answer?: Serve } = { own: undefined, count: 0 };

  const logIn = ({ body }: Seen): Reply => {
    const { auth } = JSON.parse(body) as { auth: { identity: { password?: { user: Record<string, unknown> } } } };
    const user = auth.identity.password?.user;
    if (user?.['name'] !== 'ingot' || user['password'] !== 'service-password') return { status: 401 };
    state.count += 1;
    state.own = `service-token-${state.count}`;
    return { status: 201, headers: { 'X-Subject-Token': state.own }, body: { token: {} } };
  };

  const validate = ({ headers }: Seen): Reply => {
    if (headers['x-auth-token'] !== state.own) return { status: 401 };
    const token = tokens.get(String(headers['x-subject-token']));
    return token ? { status: 200, body: { token } } : { status: 404 };
  };

  const server = await listen((seen) => {
    const replaced = state.answer?.(seen);
    if (replaced) return replaced;
    if (seen.line === 'POST /v3/auth/tokens') return logIn(seen);
    return seen.line === 'GET /v3/auth/tokens?nocatalog' ? validate(seen) : { status: 404 };
  });
  return { ...server, tokens, state };
};

/** An OpenID provider; `token` makes one, with what is given in the place of what would be right. */
export const startProvider = async () => {
  const key = await generateKeyPair('ES256', { extractable: true });
  const stranger = await generateKeyPair('ES256', { extractable: true });
  const state: { answer?: Serve } = {};
  const jwk = { ...(await exportJWK(key.publicKey)), kid: 'one', use: 'sig', alg: 'ES256' };
  let issuer = '';
  const server = await listen((seen) => {
    const replaced = state.answer?.(seen);
    if (replaced) return replaced;
    if (seen.line === 'GET /.well-known/openid-configuration') {
      return { status: 200, body: { issuer, jwks_uri: `${issuer}/keys` } };
    }
    return seen.line === 'GET /keys' ? { status: 200, body: { keys: [jwk] } } : { status: 404 };
  });
  issuer = server.url;

  const token = async (
    claims: JWTPayload = {},
    by: { kid?: string; stranger?: true; typ?: string } = {},
  ): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: issuer, aud: 'ingot', sub: 'u-1', iat: now, exp: now + 3600 };
    const whole = Object.fromEntries(Object.entries({ ...standard, ...claims }).filter(([, value]) => value !== null));
    return new SignJWT(whole)
      .setProtectedHeader({ alg: 'ES256', kid: by.kid ?? 'one', ...(by.typ !== undefined && { typ: by.typ }) })
      .sign((by.stranger ? stranger : key).privateKey);
  };
  return { ...server, state, token, jwk };
};
