/** The member of an image as a table (compute-api.md 9): a project that a shared image is offered to. */
import * as z from 'zod';

import { fields } from '../fields.ts';
import { timestamp, uuid, word } from '../values.ts';

export const memberStatuses = ['pending', 'accepted', 'rejected'] as const;
export type MemberStatus = (typeof memberStatuses)[number];

export const member = fields({
  member_id: { access: 'read', schema: z.string(), doc: 'The project.' },
  image_id: { access: 'read', schema: uuid, doc: 'The image.' },
  status: {
    access: 'read',
    schema: word(memberStatuses),
    doc: 'What the project makes of the offer; its lists show what it has accepted.',
  },
  created_at: { access: 'read', schema: timestamp, doc: 'When it was offered.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When the status was last set.' },
  schema: { access: 'read', schema: z.string(), doc: 'Path of the schema.' },
});

/** With an image, by their projects. */
export type Member = { readonly status: MemberStatus; readonly created_at: string; readonly updated_at: string };
export type Members = Readonly<Record<string, Member>>;
