/** The firmware component of a node as a table (ironic-api.md 2.1): read from its BMC when the node is verified. */
import { fields, type RecordOf } from './fields.ts';
import { text, timestamp } from './values.ts';

const read = { access: 'read', summary: true } as const;

export const firmware = fields({
  component: { ...read, schema: text(255), required: true, doc: 'bios, bmc or nic:<id>.' },
  initial_version: { ...read, schema: text(255), doc: 'Version that was found first.' },
  current_version: { ...read, schema: text(255), doc: 'Version that was found last.' },
  last_version_flashed: { ...read, schema: text(255), doc: 'Version that was put there last; null: none was.' },
  created_at: { ...read, schema: timestamp, doc: 'When it was read first.' },
  updated_at: { ...read, schema: timestamp, doc: 'When it was last found changed.' },
  vendor: { ...read, since: 114, schema: text(255), doc: 'Who made the part.' },
  model: { ...read, since: 114, schema: text(255), doc: 'Model of the part.' },
  serial_number: { ...read, since: 114, schema: text(255), doc: 'Serial number of the part.' },
});

export type Firmware = RecordOf<typeof firmware>;
