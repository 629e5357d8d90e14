/** Volume connectors and targets as tables (ironic-api.md 7): how a node reaches volumes, and which. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import type { Filters } from './filters.ts';
import { ownLinks } from './projection.ts';
import { json, timestamp, uuid } from './values.ts';

/** It becomes part of a key, so it has to be text that every store writes alike. */
const word = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'may not have control characters');

const common = {
  node_uuid: { access: 'update', schema: uuid, summary: true, required: true, doc: 'Node that it belongs to.' },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
} as const;

const own = (unique: string, what: string) =>
  ({ access: 'create', schema: uuid, unique, summary: true, required: true, doc: `UUID of the ${what}.` }) as const;

export const volumeConnector = fields({
  uuid: own('volume_connector', 'connector'),
  type: {
    access: 'update',
    schema: word(32),
    summary: true,
    required: true,
    doc: 'What connector_id is: iqn, ip, mac, wwnn, wwpn, port, portgroup.',
  },
  connector_id: {
    access: 'update',
    schema: word(255),
    unique: 'volume_connector_id',
    within: 'type',
    summary: true,
    required: true,
    doc: 'How the node is known to storage; unique for its type.',
  },
  ...common,
});

export const volumeTarget = fields({
  uuid: own('volume_target', 'target'),
  volume_type: { access: 'update', schema: word(64), summary: true, required: true, doc: 'Such as iscsi.' },
  boot_index: {
    access: 'update',
    schema: z.int(),
    unique: 'volume_boot_index',
    within: 'node_uuid',
    summary: true,
    required: true,
    doc: 'Place in the boot order, 0 is the root volume; unique for its node.',
  },
  volume_id: { access: 'update', schema: word(255), summary: true, required: true, doc: 'Name of it to storage.' },
  properties: {
    access: 'update',
    schema: json,
    default: {},
    masked: true,
    sealed: 'volume_property',
    withheld: {
      unless: ['baremetal:volume:view_target_properties'],
      notice: {
        redacted_contents:
          '** Value redacted: Requires permission baremetal:volume:view_target_properties access. Permission denied. **',
      },
    },
    doc: 'How it is reached. Secrets show as ******.',
  },
  ...common,
});

export type VolumeConnector = RecordOf<typeof volumeConnector>;
export type VolumeTarget = RecordOf<typeof volumeTarget>;

/** Filters of their lists that are no field. */
export const volumeFilters: Filters<VolumeConnector | VolumeTarget> = { node: { names: 'node' } };
