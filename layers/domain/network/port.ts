/** The port as a table: a place on a network, with its addresses, that becomes an interface of a machine. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { bool, json, uuid, word } from '../values.ts';
import { standard } from './standard.ts';
import { ip, label, unicastMac } from './values.ts';

/** An address of a port, as it is stored and shown. */
export type FixedIp = { readonly subnet_id: string; readonly ip_address: string };

/** One of both is enough: any address of a subnet, or an address of whichever subnet has it. */
export type AskedIp = { readonly subnet_id?: string | undefined; readonly ip_address?: string | undefined };

const fixedIps = z
  .array(
    z
      .strictObject({ subnet_id: uuid.optional(), ip_address: ip.optional() })
      .refine((asked) => asked.subnet_id !== undefined || asked.ip_address !== undefined, {
        error: 'must name a subnet_id or an ip_address',
      }),
  )
  .max(16);

/** Nothing here does what it would ask for. */
const none = (what: string) => z.array(json).max(0, { error: `must be empty: ${what}` });

/** Where and as what a machine has it: the business of who runs machines. */
const binding = {
  rule: 'update_port:binding',
  withheld: { notice: null, unless: ['get_port:binding'] },
} as const;

export const port = fields({
  ...standard,
  network_id: {
    access: 'create',
    schema: uuid,
    required: true,
    index: true,
    filter: true,
    doc: 'The network it is on.',
  },
  admin_state_up: { access: 'update', schema: bool, default: true, filter: true, doc: 'Whether it is in service.' },
  mac_address: {
    access: 'update',
    schema: unicastMac,
    default: '',
    filter: true,
    doc: 'One of its own, until a machine has the port: then that of its network card.',
  },
  fixed_ips: {
    access: 'update',
    schema: fixedIps,
    default: [],
    doc: 'Its addresses. Default: one of IPv4 and one of IPv6, as far as there are subnets.',
  },
  device_id: { access: 'update', schema: label, default: '', filter: true, doc: 'The server that has it.' },
  device_owner: {
    access: 'update',
    schema: label,
    default: '',
    filter: true,
    rule: 'update_port:device_owner',
    doc: 'What has it: compute: and the availability zone of a server.',
  },
  status: {
    access: 'read',
    schema: word(['ACTIVE', 'DOWN']),
    default: 'DOWN',
    filter: true,
    doc: 'ACTIVE while a machine has it.',
  },
  'binding:vnic_type': {
    access: 'update',
    schema: word(['normal', 'baremetal']),
    default: 'normal',
    filter: true,
    doc: 'What kind of interface it is for.',
  },
  'binding:host_id': {
    ...binding,
    access: 'update',
    schema: label,
    default: '',
    filter: true,
    doc: 'UUID of the node that has it.',
  },
  'binding:profile': { ...binding, access: 'update', schema: json, default: {}, doc: 'Where the node is plugged in.' },
  'binding:vif_type': {
    ...binding,
    access: 'read',
    schema: z.string(),
    computed: true,
    filter: true,
    doc: 'unbound, or other.',
  },
  'binding:vif_details': { ...binding, access: 'read', schema: json, default: {}, doc: 'Always empty.' },
  security_groups: {
    access: 'update',
    schema: z.array(uuid).max(1),
    default: [],
    doc: 'At most the group default of the project, whose rules nothing enforces.',
  },
  port_security_enabled: {
    access: 'update',
    schema: z.literal(false, { error: 'must be false: nothing here filters packets' }),
    default: false,
    doc: 'Always false: nothing here filters packets.',
  },
  allowed_address_pairs: {
    access: 'update',
    schema: none('nothing here filters packets, so every address is allowed'),
    default: [],
    doc: 'Always empty: every address is allowed.',
  },
  extra_dhcp_opts: {
    access: 'update',
    schema: none('nothing here serves DHCP'),
    default: [],
    doc: 'Always empty: nothing here serves DHCP.',
  },
});

export type Port = Omit<RecordOf<typeof port>, 'fixed_ips'> & { readonly fixed_ips: readonly FixedIp[] };

/** Begins the owner of a port that a server has. */
const computeOwner = 'compute:';

/** Whether a server has it: then its addresses are those of a machine that runs. */
export const isBound = ({
  device_id: device,
  device_owner: owner,
}: Pick<Port, 'device_id' | 'device_owner'>): boolean => device !== '' && owner.startsWith(computeOwner);
