/** Settings of the authorizer, from its environment. */
import * as z from 'zod';

/**
 * INGOT_HTPASSWD holds the lines of an htpasswd file, INGOT_HTPASSWD_FILE names one; bcrypt hashes only. Hashes may
 * stand in an environment variable, passwords never. INGOT_LOOPBACK is set by the one-machine runner alone, when it
 * listens on a loopback address.
 */
export const Config = z
  .object({
    INGOT_AUTH_STRATEGY: z.enum(['noauth', 'http_basic']).default('http_basic'),
    INGOT_LOOPBACK: z.stringbool().default(false),
    INGOT_HTPASSWD: z.string().default(''),
    INGOT_HTPASSWD_FILE: z.string().default(''),
  })
  .transform((env) => ({
    strategy: env.INGOT_AUTH_STRATEGY,
    loopback: env.INGOT_LOOPBACK,
    htpasswd: env.INGOT_HTPASSWD,
    htpasswdFile: env.INGOT_HTPASSWD_FILE,
  }))
  .refine(({ strategy, loopback }) => strategy !== 'noauth' || loopback, {
    path: ['INGOT_AUTH_STRATEGY'],
    message: 'noauth lets everybody do everything, so it is possible on a loopback address only; use http_basic',
  })
  .refine(
    ({ strategy, htpasswd, htpasswdFile }) => strategy !== 'http_basic' || htpasswd !== '' || htpasswdFile !== '',
    {
      path: ['INGOT_HTPASSWD'],
      message:
        'http_basic needs users: lines made with "htpasswd -nB <user>", here or in the file INGOT_HTPASSWD_FILE names',
    },
  );

export type Config = z.output<typeof Config>;
