/** The body of PUT states/provision, and which key goes with which target (ironic-api.md 2.7). */
import * as z from 'zod';

import { Invalid } from '../../../layers/domain/fault.ts';
import { refuseNewer } from '../../../layers/domain/fields.ts';
import type { Verb } from '../../../layers/domain/states.ts';

/** The form of the body; which key goes with which target is decided by `checkKeys`. */
export const provisionBody = z.strictObject({
  target: z.string(),
  configdrive: z.unknown().optional(),
  clean_steps: z.array(z.unknown()).nullish(),
  deploy_steps: z.array(z.unknown()).nullish(),
  service_steps: z.array(z.unknown()).nullish(),
  rescue_password: z.string().nullish(),
  disable_ramdisk: z.union([z.boolean(), z.string()]).nullish(),
  runbook: z.string().nullish(),
});

export type ProvisionBody = z.output<typeof provisionBody>;

type Key = Exclude<keyof ProvisionBody, 'target' | 'configdrive'>;

/** Each key with the targets it goes with; `since` is the microversion of key and target together. */
const keys: { readonly [K in Key]: { readonly [V in Verb]?: { readonly since?: number } } } = {
  runbook: { clean: { since: 92 }, service: { since: 92 } },
  disable_ramdisk: { clean: { since: 70 }, service: { since: 108 } },
  clean_steps: { clean: {} },
  deploy_steps: { active: { since: 69 }, rebuild: { since: 69 } },
  service_steps: { service: {} },
  rescue_password: { rescue: {} },
};

const isGiven = (value: unknown): boolean =>
  (value ?? '') !== '' && value !== false && !(Array.isArray(value) && value.length === 0);

/** What a target cannot do without: one of these keys. */
const needs: { readonly [V in Verb]?: readonly Key[] } = {
  clean: ['clean_steps', 'runbook'],
  service: ['service_steps', 'runbook'],
  rescue: ['rescue_password'],
};

const checkKey = (key: Key, target: Verb, version: number): void => {
  const row = keys[key];
  const oldest = Math.min(...Object.values(row).map(({ since }) => since ?? 1));
  refuseNewer({ [key]: { since: oldest } }, version, [key]);
  const fits = row[target];
  if (!fits) {
    throw Invalid(`"${key}" is only valid when setting target provision state to ${Object.keys(row).join(', ')}.`);
  }
  refuseNewer({ [`${key} with target ${target}`]: fits }, version, [`${key} with target ${target}`]);
};

/**
 * Checks the keys besides the configdrive in Ironic's order. Throws NotAcceptable (406) for what is newer than the
 * request's version, Invalid (400) for a key that does not go with the target and for one that is missing.
 */
export const checkKeys = (body: ProvisionBody, target: Verb, version: number): void => {
  for (const key of Object.keys(keys) as Key[]) if (isGiven(body[key])) checkKey(key, target, version);
  const wanted = needs[target];
  if (wanted && !wanted.some((key) => isGiven(body[key]))) {
    throw Invalid(`Target ${target} needs ${wanted.map((key) => `"${key}"`).join(' or ')}.`);
  }
  if (body.runbook && (isGiven(body.clean_steps) || isGiven(body.service_steps))) {
    throw Invalid('"runbook" and steps exclude each other.');
  }
};
