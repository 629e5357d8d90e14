/** The BIOS setting of a node as a table (ironic-api.md 2.1): what its BMC says, read when the node is verified. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import { ownLinks } from './projection.ts';
import { text, timestamp } from './values.ts';

/** Told since 1.74: what the BMC's registry knows of the setting; null where it says nothing. */
const registry = { access: 'read', since: 74 } as const;

export const bios = fields({
  name: { access: 'read', schema: text(255), required: true, summary: true, doc: 'Name, as the BMC has it.' },
  value: { access: 'read', schema: z.string(), summary: true, doc: 'Value as text; True and False for switches.' },
  created_at: { access: 'read', schema: timestamp, summary: true, doc: 'When it was read first.' },
  updated_at: { access: 'read', schema: timestamp, summary: true, doc: 'When it was last found changed.' },
  links: ownLinks,
  attribute_type: { ...registry, schema: text(255), doc: 'Enumeration, String, Integer, Boolean or Password.' },
  allowable_values: { ...registry, schema: z.array(z.string()), doc: 'Possible values of an Enumeration.' },
  lower_bound: { ...registry, schema: z.number(), doc: 'Least value of an Integer.' },
  max_length: { ...registry, schema: z.number(), doc: 'Most characters of a String.' },
  min_length: { ...registry, schema: z.number(), doc: 'Least characters of a String.' },
  read_only: { ...registry, schema: z.boolean(), doc: 'Whether it cannot be changed.' },
  reset_required: { ...registry, schema: z.boolean(), doc: 'Whether a change needs a restart.' },
  unique: { ...registry, schema: z.boolean(), doc: 'Whether it is about this machine only.' },
  upper_bound: { ...registry, schema: z.number(), doc: 'Greatest value of an Integer.' },
});

export type Bios = RecordOf<typeof bios>;
