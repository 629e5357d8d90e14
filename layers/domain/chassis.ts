/** The chassis as a table (ironic-api.md 5): a name for nodes that stand together. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import { ownLinks } from './projection.ts';
import { json, timestamp, uuid } from './values.ts';

/** `nodes` is a list of one list of links: upstream's form, which clients read. */
export const chassis = fields({
  uuid: { access: 'create', schema: uuid, summary: true, required: true, doc: 'UUID of the chassis.' },
  description: { access: 'update', schema: z.string().max(255), summary: true, doc: 'Free text.' },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
  nodes: { access: 'read', schema: z.array(z.array(json)), computed: true, doc: 'Links to the nodes.' },
});

export type Chassis = RecordOf<typeof chassis>;
