/** The key pair as a table (compute-api.md 7): a public key of a user, under a name of his. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { timestamp } from '../values.ts';
import { microTimestamp } from './times.ts';

export const keyPair = fields({
  name: {
    access: 'create',
    schema: z
      .string()
      .min(1)
      .max(255)
      // One way to read it: a long text that a stranger wrote is not tried in all.
      .regex(/^ *[\w@.-][\w @.-]*$/, 'may have letters, digits, spaces, - _ @ and . only, and not spaces alone'),
    required: true,
    unique: 'key_pair_name',
    within: 'user_id',
    doc: 'What servers ask for it with; one of its user has it.',
  },
  public_key: {
    access: 'create',
    schema: z.string().min(1).max(16_384),
    doc: 'As in authorized_keys: type, key in base64, comment. Below 2.92 one is made if none is given.',
  },
  type: { access: 'create', since: 2, schema: z.enum(['ssh']), default: 'ssh', doc: 'What the key is for.' },
  fingerprint: { access: 'read', schema: z.string(), required: true, doc: 'MD5 of the key.' },
  user_id: {
    access: 'create',
    givenSince: 10,
    schema: z.string().min(1).max(255),
    index: true,
    doc: 'Whose it is; only administrators give one of somebody else.',
  },
  id: { access: 'read', schema: z.int(), required: true, computed: true, doc: 'A number; nothing is found by it.' },
  created_at: {
    access: 'read',
    schema: timestamp,
    shownAs: microTimestamp,
    required: true,
    doc: 'When it was created.',
  },
  updated_at: { access: 'read', schema: timestamp, doc: 'Never: a key pair does not change.' },
  deleted: { access: 'read', schema: z.boolean(), default: false, computed: true, doc: 'Always false.' },
  deleted_at: { access: 'read', schema: timestamp, computed: true, doc: 'Always null.' },
});

export type KeyPair = RecordOf<typeof keyPair>;
