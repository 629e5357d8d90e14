/** The inspection rule as a table (ironic-api.md 9): what to do with a machine that an inspection finds to be such. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import { ownLinks } from './projection.ts';
import { actions, conditions } from './inspection-rules/operations.ts';
import { bool, count, timestamp, uuid, word } from './values.ts';

/** When rules are applied: after the inventory has been stored and the ports were made. */
const phases = ['main'] as const;

/** What a sensitive rule keeps to itself. */
const ofSensitive = { when: 'sensitive', notice: null } as const;

export const inspectionRule = fields({
  uuid: { access: 'create', schema: uuid, summary: true, required: true, doc: 'UUID of the rule.' },
  description: { access: 'update', schema: z.string().max(255), summary: true, doc: 'Free text.' },
  priority: {
    access: 'update',
    schema: count.pipe(z.int().max(9999)),
    default: 0,
    summary: true,
    doc: 'The highest is applied first.',
  },
  phase: {
    access: 'update',
    schema: word(phases),
    default: 'main',
    summary: true,
    filter: true,
    doc: 'When it is applied.',
  },
  sensitive: { access: 'update', schema: bool, default: false, doc: 'Never shows its parts again; stays so.' },
  conditions: {
    access: 'update',
    schema: conditions,
    default: [],
    masked: true,
    withheld: ofSensitive,
    doc: 'All have to hold.',
  },
  actions: {
    access: 'update',
    schema: actions,
    required: true,
    masked: true,
    withheld: ofSensitive,
    doc: 'What is done, in this order.',
  },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
});

export type InspectionRule = RecordOf<typeof inspectionRule>;
