/** The body of PUT states/provision (ironic-api.md 2.7). */
import * as z from 'zod';

import { bodyKeys, verbs, verbsTaking, type BodyKey, type Verb } from '../../../layers/domain/baremetal/verbs.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { refuseNewer } from '../../../layers/domain/fields.ts';

const forms = {
  configdrive: z.unknown().optional(),
  clean_steps: z.array(z.unknown()).nullish(),
  deploy_steps: z.array(z.unknown()).nullish(),
  service_steps: z.array(z.unknown()).nullish(),
  rescue_password: z.string().nullish(),
  disable_ramdisk: z.union([z.boolean(), z.string()]).nullish(),
  runbook: z.string().nullish(),
} satisfies { readonly [K in BodyKey]: z.ZodType };

/** The form of the body; which key goes with which target, the rows of the verbs say. */
export const provisionBody = z.strictObject({ target: z.string(), ...forms });

export type ProvisionBody = z.output<typeof provisionBody>;

const isGiven = (value: unknown): boolean =>
  (value ?? '') !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

/** A configdrive has refusals of its own (configdrive.ts). */
const keys = bodyKeys.filter((key) => key !== 'configdrive');

const checkKey = (key: BodyKey, target: Verb, version: number): void => {
  const takers = verbsTaking(key);
  const since = Math.min(...takers.map((verb) => verbs[verb].body?.[key]?.since ?? 1));
  refuseNewer({ [key]: { since } }, version, [key]);
  const fits = verbs[target].body?.[key];
  if (!fits) throw Invalid(`"${key}" is only valid when setting target provision state to ${takers.join(', ')}.`);
  const both = `${key} with target ${target}`;
  refuseNewer({ [both]: fits }, version, [both]);
};

/**
 * Checks the keys besides the configdrive in Ironic's order. Throws NotAcceptable (406) for what is newer than the
 * request's version, Invalid (400) for a key that does not go with the target and for one that is missing.
 */
export const checkKeys = (body: ProvisionBody, target: Verb, version: number): void => {
  for (const key of keys) if (isGiven(body[key])) checkKey(key, target, version);
  const { needs } = verbs[target];
  if (needs && !needs.some((key) => isGiven(body[key]))) {
    throw Invalid(`Target ${target} needs ${needs.map((key) => `"${key}"`).join(' or ')}.`);
  }
  if (body.runbook && (isGiven(body.clean_steps) || isGiven(body.service_steps))) {
    throw Invalid('"runbook" and steps exclude each other.');
  }
};
