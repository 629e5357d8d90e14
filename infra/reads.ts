/** Which settings a function is told: those that it reads. What it does not know, it can neither leak nor be wrong about. */
import type { ZodObject, ZodPipe } from 'zod';

import { Config as authorizer } from '../functions/authorizer/config.ts';
import { Config as baremetalApi } from '../functions/baremetal-api/config.ts';
import { Config as bmcProxy } from '../functions/bmc-proxy/config.ts';
import { Config as bootImage } from '../functions/boot-image/config.ts';
import { Config as computeApi } from '../functions/compute-api/config.ts';
import { Config as events } from '../functions/events/config.ts';
import { Config as imageApi } from '../functions/image-api/config.ts';
import { Config as networkApi } from '../functions/network-api/config.ts';
import { Config as powerSync } from '../functions/power-sync/config.ts';
import { Config as ramdiskApi } from '../functions/ramdisk-api/config.ts';
import { Config as serverSync } from '../functions/server-sync/config.ts';
import { Config as serverWorkflow } from '../functions/server-workflow/config.ts';
import { Config as sync } from '../functions/sync/config.ts';
import { Config as workflow } from '../functions/workflow/config.ts';
import { apiOf, type Grant } from './grants.ts';
import { type FunctionName, functions as rows } from './manifest.ts';
import { type Settings, variablesOf } from './settings.ts';

type Config = ZodObject | ZodPipe<ZodObject>;

const configs: { readonly [F in FunctionName]: Config } = {
  authorizer,
  'baremetal-api': baremetalApi,
  'bmc-proxy': bmcProxy,
  'boot-image': bootImage,
  'compute-api': computeApi,
  events,
  'image-api': imageApi,
  'network-api': networkApi,
  'power-sync': powerSync,
  'ramdisk-api': ramdiskApi,
  'server-sync': serverSync,
  'server-workflow': serverWorkflow,
  sync,
  workflow,
};

const shapeOf = (config: Config): object => ('in' in config ? config.in : config).shape;

/** What an API is called with is for the platform to read (layers/platform/aws/apis.ts). */
const ofApis = (grants: readonly Grant[]): string[] =>
  grants
    .flatMap((grant) => apiOf(grant) ?? [])
    .flatMap((api) => [`INGOT_${api.toUpperCase()}_ENDPOINT`, `INGOT_${api.toUpperCase()}_CREDENTIALS`]);

/** `INGOT_<SETTING>` for every setting that the function reads. */
export const settingsOf = (name: FunctionName, settings: Settings): Record<string, string> => {
  const read = new Set([...Object.keys(shapeOf(configs[name])), ...ofApis(rows[name].grants)]);
  return Object.fromEntries(Object.entries(variablesOf(settings)).filter(([variable]) => read.has(variable)));
};
