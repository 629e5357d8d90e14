/** The runbook as a table (ironic-api.md 9): clean or service steps under a name, of a project or for everybody. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import type { Filters } from './filters.ts';
import { ownLinks } from './projection.ts';
import { runbookSteps } from './steps.ts';
import { trait } from './traits.ts';
import { bool, isUuid, json, logicalName, text, timestamp, uuid } from './values.ts';

export const runbook = fields({
  uuid: { access: 'create', schema: uuid, summary: true, required: true, doc: 'UUID of the runbook.' },
  name: {
    access: 'update',
    // Whoever asks for a UUID means the record that has it.
    schema: logicalName.refine((name) => !isUuid(name), 'must not be a UUID'),
    unique: 'runbook_name',
    summary: true,
    required: true,
    doc: 'Logical name; below 1.112 also the trait of the nodes it is for.',
  },
  description: { access: 'update', since: 112, schema: z.string().max(255), doc: 'Free text.' },
  steps: {
    access: 'update',
    schema: runbookSteps,
    required: true,
    masked: true,
    sealed: 'step_argument',
    doc: 'Steps with their order.',
  },
  disable_ramdisk: { access: 'update', schema: bool, default: false, doc: 'Whether its steps run without an agent.' },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  public: {
    access: 'update',
    rule: 'baremetal:runbook:update:public',
    schema: bool,
    default: false,
    doc: 'Whether every project may see it; it has no owner.',
  },
  owner: { access: 'update', rule: 'baremetal:runbook:update:owner', schema: text(255), doc: 'Project it belongs to.' },
  traits: { access: 'read', since: 112, schema: z.array(trait), default: [], doc: 'A node needs one of these.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
});

export type Runbook = RecordOf<typeof runbook>;

/** Filters of its lists that are no field. What is there for everybody is there for each project. */
export const runbookFilters: Filters<Runbook> = {
  project: {
    keep: (record, project: string) => record.public || record.owner === project,
    looksAt: ['public', 'owner'],
  },
};
