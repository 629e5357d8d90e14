/** A node's history as a table (ironic-api.md 2.1): its event log (layers/store/events.ts) in Ironic's words. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import { ownLinks } from './projection.ts';
import { text, timestamp, uuid } from './values.ts';

export const history = fields({
  uuid: { access: 'read', schema: uuid, summary: true, required: true, doc: 'UUID of the entry.' },
  created_at: { access: 'read', schema: timestamp, summary: true, required: true, doc: 'When it happened.' },
  severity: {
    access: 'read',
    schema: z.enum(['INFO', 'ERROR']),
    summary: true,
    required: true,
    doc: 'ERROR is what ended in `last_error`.',
  },
  event: {
    access: 'read',
    schema: z.string(),
    summary: true,
    required: true,
    doc: 'What happened; cut to 255 characters in brief lists.',
  },
  event_type: { access: 'read', schema: text(255), required: true, doc: 'Which work it is about.' },
  conductor: { access: 'read', schema: text(255), computed: true, doc: 'Responsible site.' },
  user: { access: 'read', schema: text(255), doc: 'Who asked for it; null: nobody did.' },
  project: { access: 'read', since: 113, schema: text(255), doc: 'Project of who asked for it.' },
  state: { access: 'read', since: 115, schema: text(255), doc: 'provision_state after it.' },
  target_provision_state: { access: 'read', since: 115, schema: text(255), doc: 'What the node headed for after it.' },
  duration_seconds: {
    access: 'read',
    since: 115,
    schema: z.number(),
    doc: 'How long the phase took that ended here; null: none did.',
  },
  links: ownLinks,
});

export type HistoryEntry = RecordOf<typeof history>;
