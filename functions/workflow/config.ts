/** Settings of the phase runner, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { baseOf } from '../../layers/platform/apis.ts';
import { ramdiskFrom, ramdiskVariables } from '../../layers/domain/ramdisk.ts';
import type { Settings } from '../../workflows/owners/node/phase.ts';

/** Empty text is no number; coercion would make it 0, which turns a step off. */
const priority = z.string().regex(/^\d+$/, 'has to be a whole number').transform(Number);
const seconds = z
  .string()
  .regex(/^[1-9]\d*$/, 'has to be a whole number above 0')
  .transform(Number);

export const Config = z
  .object({
    INGOT_AUTOMATED_CLEAN: z.stringbool(),
    INGOT_ERASE_DEVICES_PRIORITY: priority,
    INGOT_ERASE_DEVICES_METADATA_PRIORITY: priority,
    INGOT_DEPLOY_CALLBACK_TIMEOUT: seconds,
    INGOT_CLEAN_CALLBACK_TIMEOUT: seconds,
    INGOT_INSPECT_CALLBACK_TIMEOUT: seconds,
    INGOT_RESCUE_CALLBACK_TIMEOUT: seconds,
    INGOT_SERVICE_CALLBACK_TIMEOUT: seconds,
    INGOT_AGENT_ENDPOINT: z.string(),
    ...ramdiskVariables,
    INGOT_IMAGE_ENDPOINT: z.string(),
    INGOT_IMAGE_CREDENTIALS: z.string(),
  })
  .transform((env): Settings & { readonly otherImages: boolean; readonly openImages: string | undefined } => ({
    automatedClean: env.INGOT_AUTOMATED_CLEAN,
    cleanPriorities: {
      erase_devices: env.INGOT_ERASE_DEVICES_PRIORITY,
      erase_devices_metadata: env.INGOT_ERASE_DEVICES_METADATA_PRIORITY,
    },
    // The agent fetches the configdrive after the image, which may take as long as the agent may be silent.
    linkSeconds: 2 * env.INGOT_DEPLOY_CALLBACK_TIMEOUT,
    // The ramdisk reads its medium when it is up: after three phases with the BMC, each of which may take a quarter of
    // an hour, at most when its run gives up on it.
    mediumSeconds:
      3600 +
      Math.max(
        env.INGOT_DEPLOY_CALLBACK_TIMEOUT,
        env.INGOT_CLEAN_CALLBACK_TIMEOUT,
        env.INGOT_INSPECT_CALLBACK_TIMEOUT,
        env.INGOT_RESCUE_CALLBACK_TIMEOUT,
        env.INGOT_SERVICE_CALLBACK_TIMEOUT,
      ),
    agentEndpoint: env.INGOT_AGENT_ENDPOINT.replace(/\/$/, ''),
    ramdisk: ramdiskFrom(env),
    otherImages: env.INGOT_IMAGE_ENDPOINT !== '',
    // A Glance that asks nobody who he is gives its images to agents too; our own Image API has no endpoint here.
    openImages:
      env.INGOT_IMAGE_ENDPOINT !== '' && env.INGOT_IMAGE_CREDENTIALS === ''
        ? baseOf(env.INGOT_IMAGE_ENDPOINT)
        : undefined,
  }));

export type Config = z.output<typeof Config>;
