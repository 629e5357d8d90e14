/** The port group as a table (ironic-api.md 4): ports of a node that work as one. */
import * as z from 'zod';

import { fields, type RecordOf } from './fields.ts';
import type { Filters } from './filters.ts';
import { linksTo, ownLinks } from './projection.ts';
import { bool, json, logicalName, mac, text, timestamp, uuid } from './values.ts';

export const portgroup = fields({
  uuid: {
    access: 'create',
    schema: uuid,
    unique: 'portgroup',
    summary: true,
    required: true,
    doc: 'UUID of the port group.',
  },
  address: {
    access: 'update',
    schema: mac,
    unique: 'portgroup_address',
    summary: true,
    filter: true,
    doc: 'MAC address of the ports together.',
  },
  name: { access: 'update', schema: logicalName, unique: 'portgroup_name', summary: true, doc: 'Logical name.' },
  node_uuid: { access: 'update', schema: uuid, required: true, doc: 'Node that the ports are in.' },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  internal_info: { access: 'read', schema: json, default: {}, masked: true, doc: 'Notes of the service.' },
  standalone_ports_supported: {
    access: 'update',
    schema: bool,
    default: true,
    doc: 'Whether its ports also work alone.',
  },
  mode: {
    access: 'update',
    since: 26,
    schema: text(255),
    required: true,
    default: 'active-backup',
    doc: "How the ports share the work; the bonding modes' names of Linux, or what the network knows.",
  },
  properties: { access: 'update', since: 26, schema: json, default: {}, doc: 'Settings of the mode, such as miimon.' },
  physical_network: { access: 'update', since: 102, schema: text(64), doc: 'Physical network it is plugged into.' },
  category: { access: 'update', since: 103, schema: z.string().max(80), doc: 'Free category.' },
  dynamic_portgroup: {
    access: 'read',
    since: 111,
    schema: bool,
    default: false,
    doc: 'Whether the service made it of free ports.',
  },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
  ports: { ...linksTo('ports', 'Links to the ports.'), since: 24 },
});

export type Portgroup = RecordOf<typeof portgroup>;

/** Filters of its lists that are no field. */
export const portgroupFilters: Filters<Portgroup> = {
  node: { names: 'node' },
  shard: { since: 106, ofHome: 'shard' },
  conductor_groups: { since: 99, ofHome: 'conductor_group' },
};
