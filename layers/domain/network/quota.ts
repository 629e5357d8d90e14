/** How many records a project may have of each kind. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { timestamp } from '../values.ts';

/** -1: as many as it likes. */
const limit = z.int().min(-1).max(1_000_000);

const row = (count: number, what: string) =>
  ({
    access: 'update',
    schema: limit,
    default: count,
    doc: `How many ${what} a project may have; -1: any number.`,
  }) as const;

/** What is counted, by the name that clients have for it. */
export const quota = fields({
  network: row(100, 'networks'),
  subnet: row(100, 'subnets'),
  port: row(500, 'ports'),
  floatingip: row(50, 'floating IPs'),
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When an administrator set it first.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
});

export type Quota = RecordOf<typeof quota>;

/** What there are limits of. */
export const counted = ['network', 'subnet', 'port', 'floatingip'] as const satisfies (keyof typeof quota)[];

export type Counted = (typeof counted)[number];
