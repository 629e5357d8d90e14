/** The floating IP as a table: an address of an external network that a project keeps, and puts on one of its ports. */
import { fields, type RecordOf } from '../fields.ts';
import { uuid, word } from '../values.ts';
import { standard } from './standard.ts';
import { ip } from './values.ts';

const { name: _name, ...common } = standard;

export const floatingIp = fields({
  ...common,
  floating_network_id: {
    access: 'create',
    schema: uuid,
    required: true,
    index: true,
    filter: true,
    doc: 'The external network that it is of.',
  },
  floating_ip_address: {
    access: 'create',
    schema: ip,
    default: '',
    filter: true,
    rule: 'create_floatingip:floating_ip_address',
    doc: 'The address; only administrators choose one.',
  },
  subnet_id: {
    access: 'create',
    schema: uuid,
    doc: 'The subnet of the external network that it is of.',
  },
  port_id: { access: 'update', schema: uuid, index: true, filter: true, doc: 'The port that has it; null: none.' },
  fixed_ip_address: {
    access: 'update',
    schema: ip,
    filter: true,
    doc: 'The address of that port that it stands for. Default: its only one of IPv4.',
  },
  router_id: { access: 'read', schema: uuid, computed: true, filter: true, doc: 'Always null: there are no routers.' },
  status: {
    access: 'read',
    schema: word(['ACTIVE', 'DOWN']),
    computed: true,
    filter: true,
    doc: 'ACTIVE while a port has it.',
  },
});

export type FloatingIp = RecordOf<typeof floatingIp>;
