/** The Bare Metal API that a command works with, as its administrator. The password comes from the environment or a file. */
import { readFileSync } from 'node:fs';

import { Fault, Invalid } from '../layers/domain/fault.ts';
import { isSafeUrl } from '../layers/domain/safe-url.ts';
import { credentialHeaders } from '../layers/platform/api-credentials.ts';
import { baseOf } from '../layers/platform/apis.ts';
import type { World } from './command.ts';

/** The options that name it, for `parseArgs`. */
export const targetOptions = { target: { type: 'string' }, 'target-credentials': { type: 'string' } } as const;

/** How the help shows them. */
export const targetUsage = '[--target URL] [--target-credentials FILE]';

type Options = { readonly target?: string | undefined; readonly 'target-credentials'?: string | undefined };

/** Sends a request and gives back the JSON of its answer. Throws Faults for whatever is no success. */
export type Target = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** That of `npm start`. */
const usual = 'http://127.0.0.1:6385';
/** API Gateway gives up after 29 seconds. */
const patience_ms = 60_000;

const credentialsOf = ({ 'target-credentials': file }: Options, env: World['env']): string | undefined => {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw Invalid(`The file ${file} can not be read.`, error);
    }
  }
  const { INGOT_TARGET_TOKEN: token, INGOT_TARGET_USER: username, INGOT_TARGET_PASSWORD: password } = env;
  if (token !== undefined) return JSON.stringify({ token });
  return username === undefined ? undefined : JSON.stringify({ username, password: password ?? '' });
};

/** What an API says is wrong, in Ironic's form or in that of a gateway. */
const errorOf = (text: string): string => {
  try {
    const { error_message: outer, message } = JSON.parse(text) as { error_message?: string; message?: string };
    const inner = JSON.parse(outer ?? '{}') as { faultstring?: string; description?: string };
    return inner.faultstring ?? inner.description ?? message ?? '';
  } catch {
    return '';
  }
};

/**
 * Opens the API that --target names, with what --target-credentials holds ({"username", "password"} or {"token"}), or
 * INGOT_TARGET_USER and INGOT_TARGET_PASSWORD, or INGOT_TARGET_TOKEN. Throws Invalid for a URL to which nobody should send
 * a credential.
 */
export const openTarget = (options: Options, env: World['env']): Target => {
  const url = options.target ?? env['INGOT_TARGET'] ?? usual;
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw Invalid(`--target has to be an http or https URL, not ${url}.`);
  const credentials = credentialsOf(options, env);
  if (credentials !== undefined && !isSafeUrl(url)) {
    throw Invalid(`--target has to be an https URL: the credential would travel readable to ${url}.`);
  }
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'X-OpenStack-Ironic-API-Version': 'latest',
    ...(credentials !== undefined && credentialHeaders(credentials)),
  };
  const send = async (method: string, path: string, body: object | undefined): Promise<Response> => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    try {
      // A credential does not follow redirects.
      return await fetch(baseOf(url) + path, { ...init, redirect: 'error', signal: AbortSignal.timeout(patience_ms) });
    } catch (error) {
      throw new Fault('Unavailable', 503, `Nobody answers at ${url}: is it the Bare Metal API, and does it run?`, {
        cause: error,
      });
    }
  };
  return async (method, path, body) => {
    const answer = await send(method, path, body);
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    throw new Fault(
      'Refused',
      answer.status,
      `${url} answered ${answer.status} to ${method} ${path}. ${errorOf(text)}`,
    );
  };
};
