/** The APIs that a command works with, and who asks them. Secrets come from the environment or from files. */
import { Fault, Invalid } from '../layers/domain/fault.ts';
import { baseOf } from '../layers/platform/apis.ts';
import { credentialsOf } from '../migrate/credentials.ts';
import { faultstringOf, openService, type Service } from '../migrate/service.ts';
import type { World } from './command.ts';

/** The options that name one. */
export const targetOptions = {
  endpoint: { type: 'string' },
  auth: { type: 'string', default: 'none' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  'token-file': { type: 'string' },
} as const;

/** How the help shows them; `what`: the API that is asked. */
export const targetUsageOf = (what: string): string => `
      --endpoint URL        of the ${what}; --auth none|basic|token, --user NAME; secrets are in INGOT_PASSWORD or
                            --password-file, INGOT_TOKEN or --token-file`;

/** Those of the Bare Metal API. */
export const targetUsage = targetUsageOf('Bare Metal API');

type Options = { readonly auth: string } & {
  readonly [O in Exclude<keyof typeof targetOptions, 'auth'>]?: string | undefined;
};

const endpointIn = ({ endpoint }: Options, name: string): string => {
  if (endpoint !== undefined) return endpoint;
  throw Invalid(`--endpoint says where the ${name} is.`);
};

const open = (name: string, endpoint: string, options: Options, env: World['env']): Service =>
  openService(`The ${name}`, endpoint, credentialsOf(options, '', 'INGOT', env));

/** Makes the function that asks it. Throws Invalid without --endpoint, and for one where a secret could be read on its way. */
export const openTarget = (options: Options, env: World['env']): Service =>
  open('Bare Metal API', baseOf(endpointIn(options, 'Bare Metal API')), options, env);

const newest = { 'X-OpenStack-Ironic-API-Version': 'latest' };

/** Asks it at its newest microversion, for the body of a success. Throws Fault Refused with what it says. */
export const askTarget = async (
  target: Service,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<unknown> => {
  const reply = await target(method, path, { headers: newest, ...(body && { body }) });
  if (reply.status < 300) return reply.body;
  throw new Fault('Refused', reply.status, faultstringOf(reply.body));
};

/** As catalogs have it: Nova's own had the project behind the version. */
const versioned = /\/v2(?:\.\d+)?(?:\/|$)/;

/** The same for a Compute API, ours or any Nova: paths stand behind the version, which is 2.1 if the URL has none. */
export const openCompute = (options: Options, env: World['env']): Service => {
  const endpoint = endpointIn(options, 'Compute API').replace(/\/+$/, '');
  return open('Compute API', versioned.test(endpoint) ? endpoint : `${endpoint}/v2.1`, options, env);
};

/** The same for an Image API; undefined if --image-endpoint names none. */
export const openImages = (
  { 'image-endpoint': endpoint, ...options }: Options & { readonly 'image-endpoint'?: string | undefined },
  env: World['env'],
): Service | undefined => (endpoint === undefined ? undefined : open('Image API', baseOf(endpoint), options, env));
