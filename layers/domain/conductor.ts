/** The conductor as a table (ironic-api.md 6): here a site of BMC proxies. Nothing of it is stored. */
import * as z from 'zod';

import { fields } from './fields.ts';
import { ownLinks } from './projection.ts';
import { bool, text, timestamp } from './values.ts';

/** Every site is shown by these rows; the values are made when it is asked for. */
export const conductor = fields({
  hostname: { access: 'read', schema: text(255), required: true, summary: true, doc: 'Name of the site.' },
  conductor_group: { access: 'read', schema: z.string(), default: '', summary: true, doc: 'Group it serves.' },
  alive: { access: 'read', schema: bool, computed: true, summary: true, doc: 'Whether it works.' },
  drivers: { access: 'read', schema: z.array(z.string()), computed: true, doc: 'Hardware types it knows.' },
  created_at: { access: 'read', schema: timestamp, doc: 'A site has no record, so this is null.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'A site has no record, so this is null.' },
  links: ownLinks,
});
