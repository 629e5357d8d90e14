/** The port as a table (ironic-api.md 3): one network card of a node. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import type { Filters } from './filters.ts';
import { ownLinks } from './projection.ts';
import { bool, json, logicalName, mac, text, timestamp, uuid } from './values.ts';

/** A MAC address or an OpenFlow datapath id, normalised. */
const switchId = z
  .string()
  .regex(/^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{2}[:-]){7}[0-9a-fA-F]{2}$|^[0-9a-fA-F]{16}$/, {
    error: 'must be a MAC address or a datapath id',
  })
  .transform((value) => value.toLowerCase().replaceAll('-', ':'));

const linkKeys = { switch_info: z.string().optional(), hostname: z.string().optional() };

/** Nothing, a switch and its port, a smart NIC's port and host, or a word that the network is not managed. */
const localLink = z.union(
  [
    // Not a strict object: of one key too much zod would complain instead of saying what is needed.
    z.record(z.string(), z.never()),
    z.strictObject({ network_type: z.literal('unmanaged') }),
    z.strictObject({
      ...linkKeys,
      switch_id: switchId,
      port_id: z.string(),
      network_type: z.literal('managed').optional(),
    }),
    z.strictObject({ hostname: z.string(), port_id: z.string(), network_type: z.literal('managed').optional() }),
  ],
  { error: 'needs switch_id and port_id, or port_id and hostname, or network_type unmanaged, or nothing at all' },
);

export const port = fields({
  uuid: { access: 'create', schema: uuid, unique: 'port', summary: true, required: true, doc: 'UUID of the port.' },
  address: {
    access: 'update',
    schema: mac,
    unique: 'port_address',
    summary: true,
    required: true,
    filter: true,
    doc: 'MAC address.',
  },
  node_uuid: {
    access: 'update',
    schema: uuid,
    required: true,
    filter: { names: 'node' },
    doc: 'Node that the card is in.',
  },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  internal_info: { access: 'read', since: 18, schema: json, default: {}, masked: true, doc: 'Notes of the service.' },
  pxe_enabled: {
    access: 'update',
    since: 19,
    schema: bool,
    default: true,
    doc: 'Whether the card may boot the machine.',
  },
  local_link_connection: { access: 'update', since: 19, schema: localLink, default: {}, doc: 'Switch and its port.' },
  portgroup_uuid: { access: 'update', since: 24, schema: uuid, doc: 'Port group that the port belongs to.' },
  physical_network: { access: 'update', since: 34, schema: text(64), doc: 'Physical network it is plugged into.' },
  is_smartnic: { access: 'update', since: 53, schema: bool, default: false, doc: 'Whether it is a smart NIC.' },
  name: { access: 'update', since: 88, schema: logicalName, unique: 'port_name', doc: 'Logical name.' },
  description: { access: 'update', since: 97, schema: z.string().max(255), doc: 'Free text.' },
  vendor: { access: 'update', since: 100, schema: z.string().max(32), doc: 'Who made the card.' },
  category: { access: 'update', since: 101, schema: z.string().max(80), doc: 'Free category.' },
  available_for_dynamic_portgroup: {
    access: 'update',
    since: 111,
    schema: bool,
    default: true,
    doc: 'Whether a port group may be made of it when needed.',
  },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
});

export type Port = RecordOf<typeof port>;

/** Filters of its lists that are no field. */
export const portFilters: Filters<Port> = {
  node: { names: 'node' },
  portgroup: { since: 24, names: 'portgroup' },
  shard: { since: 82, ofHome: 'shard' },
  conductor_groups: { since: 99, ofHome: 'conductor_group' },
  description_contains: {
    keep: ({ description }, part: string) => (description ?? '').includes(part),
    looksAt: ['description'],
  },
};
