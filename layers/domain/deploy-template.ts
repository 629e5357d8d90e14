/** The deploy template as a table (ironic-api.md 9): steps for instances that ask for the trait of its name. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import { ownLinks } from './projection.ts';
import { templateSteps } from './steps.ts';
import { trait } from './traits.ts';
import { json, timestamp, uuid } from './values.ts';

export const deployTemplate = fields({
  uuid: { access: 'create', schema: uuid, summary: true, required: true, doc: 'UUID of the deploy template.' },
  name: {
    access: 'update',
    schema: trait,
    unique: 'deploy_template_name',
    summary: true,
    required: true,
    doc: 'The trait that instances ask for it with.',
  },
  description: { access: 'update', schema: z.string().max(255), doc: 'Free text.' },
  steps: {
    access: 'update',
    schema: templateSteps,
    required: true,
    masked: true,
    sealed: 'step_argument',
    doc: 'Deploy steps, each once.',
  },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
});

export type DeployTemplate = RecordOf<typeof deployTemplate>;
