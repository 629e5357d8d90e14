/** The Bare Metal API that a command works with, and who asks it. Secrets come from the environment or from files. */
import { Invalid } from '../layers/domain/fault.ts';
import { baseOf } from '../layers/platform/apis.ts';
import { credentialsOf } from '../migrate/credentials.ts';
import { openService, type Service } from '../migrate/service.ts';
import type { World } from './command.ts';

/** The options that name it, for `parseArgs`. */
export const targetOptions = {
  endpoint: { type: 'string' },
  auth: { type: 'string', default: 'none' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  'token-file': { type: 'string' },
} as const;

/** How the help shows them. */
export const targetUsage = `
      --endpoint URL        of the Bare Metal API; --auth none|basic|token, --user NAME; secrets are in INGOT_PASSWORD or
                            --password-file, INGOT_TOKEN or --token-file`;

type Options = { readonly auth: string } & {
  readonly [O in Exclude<keyof typeof targetOptions, 'auth'>]?: string | undefined;
};

/** Makes the function that asks it. Throws Invalid without --endpoint, and for one where a secret could be read on its way. */
export const openTarget = (options: Options, env: World['env']): Service => {
  if (options.endpoint === undefined) throw Invalid('--endpoint says where the Bare Metal API is.');
  return openService('The Bare Metal API', baseOf(options.endpoint), credentialsOf(options, '', 'INGOT', env));
};
