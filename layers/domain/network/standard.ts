/** What all resources of the Networking API have (Neutron calls them standard attributes). */
import * as z from 'zod';

import type { Field } from '../fields.ts';
import { timestamp, uuid } from '../values.ts';
import { label } from './values.ts';

/** A word that clients put on a record, to find it by. */
export const tag = z.string().min(1).max(255);

export const tags = z.array(tag).max(50);

export const standard = {
  id: { access: 'read', schema: uuid, required: true, computed: true, filter: true, doc: 'UUID of it.' },
  name: { access: 'update', schema: label, default: '', filter: true, doc: 'What people call it; need not be unique.' },
  description: { access: 'update', schema: label, default: '', filter: true, doc: 'Free text.' },
  project_id: {
    access: 'create',
    schema: z.string().min(1).max(255),
    required: true,
    index: true,
    filter: true,
    doc: 'The project that has it; only administrators give another one than their own.',
  },
  tenant_id: {
    access: 'create',
    schema: z.string().min(1).max(255),
    computed: true,
    filter: true,
    doc: 'The same as project_id, by its old name.',
  },
  tags: { access: 'read', schema: tags, default: [], doc: 'Words that clients put on it, at /tags below it.' },
  revision_number: { access: 'read', schema: z.int(), computed: true, filter: true, doc: 'Grows with every change.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
} as const satisfies Record<string, Field>;
