/** The flavor as a table (compute-api.md 4): what a tenant chooses, and what a machine must be for it. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { bool } from '../values.ts';
import { extraSpecs } from './extra-specs.ts';

const most = 0x7fffffff;

/** A whole number, or its text, as clients send sizes. */
const size = (least: number) =>
  z.union(
    [
      z.int().min(least).max(most),
      z
        .string()
        .regex(/^\d{1,10}$/)
        .transform(Number)
        .pipe(z.int().min(least).max(most)),
    ],
    {
      error: `must be a whole number from ${least} to ${most}`,
    },
  );

/** Neither begins nor ends with a blank. */
const trimmed = z
  .string()
  .max(255)
  .regex(/^\S(?:.*\S)?$/, 'must have 1 to 255 characters and no blank at either end');

const flavorId = z
  .union([z.int(), z.string()])
  .transform(String)
  .pipe(
    z
      .string()
      .max(255)
      .regex(/^(?! )[a-zA-Z0-9. _-]+(?<! )$/, 'may have letters, digits, blanks, . _ and - only'),
  );

const factor = z.union(
  [
    z.number(),
    z
      .string()
      .regex(/^\d+(?:\.\d+)?$/)
      .transform(Number),
  ],
  {
    error: 'must be a number',
  },
);

/** Sizes are what a partition image is laid out by, what is counted by quotas, and with exact matching what a node has. */
export const flavor = fields({
  id: {
    access: 'create',
    schema: flavorId,
    unique: 'flavor_id',
    summary: true,
    default: 'auto',
    doc: 'What requests name it by; `auto` makes a UUID of it.',
  },
  name: { access: 'create', schema: trimmed, unique: 'flavor_name', summary: true, required: true, doc: 'Its name.' },
  description: { access: 'update', since: 55, schema: z.string().max(65_535), summary: true, doc: 'Free text.' },
  ram: { access: 'create', schema: size(1), required: true, doc: 'Memory in MB.' },
  disk: { access: 'create', schema: size(0), required: true, doc: 'Root disk in GB.' },
  vcpus: { access: 'create', schema: size(1), required: true, doc: 'Cores.' },
  swap: {
    access: 'create',
    schema: size(0),
    default: 0,
    shownAs: (version) => (version < 75 ? z.union([z.int().min(1), z.literal('')]) : z.int()),
    was: (value, version) => (version < 75 && value === 0 ? '' : value),
    doc: 'Swap in MB. Below 2.75 none is an empty text.',
  },
  ephemeral: {
    access: 'create',
    extension: 'OS-FLV-EXT-DATA',
    schema: size(0),
    default: 0,
    doc: 'A second partition in GB, which a rebuild may preserve.',
  },
  disabled: {
    access: 'read',
    extension: 'OS-FLV-DISABLED',
    schema: z.boolean(),
    default: false,
    doc: 'Always false: a flavor is deleted instead.',
  },
  is_public: {
    access: 'create',
    extension: 'os-flavor-access',
    schema: bool,
    default: true,
    doc: 'Whether every project may use it; else those that it was given to.',
  },
  rxtx_factor: { access: 'create', schema: factor, default: 1, doc: 'Kept and shown; it has no effect.' },
  extra_specs: {
    access: 'read',
    since: 61,
    schema: extraSpecs,
    default: {},
    doc: 'What a machine must be besides, set at os-extra_specs.',
  },
});

export type Flavor = RecordOf<typeof flavor>;

/** What a flavor has besides: the projects that it was given to, if it is not public. */
export type FlavorKeeping = { readonly projects: readonly string[] };

/** A flavor without projects. */
export const firstFlavor: FlavorKeeping = { projects: [] };
