/** Who may do what by the Networking API, by Neutron's names. How it is decided is in ../policy.ts. */
import { ResourceNotFound } from './faults.ts';

/**
 * Role admin is the administrator of the cloud in whatever project, as in Neutron, where projects know members and readers
 * only. `public` is what is shared or external.
 */
const checks = {
  admin: ['system admin', 'any admin'],
  member: ['system admin', 'any admin', 'owner member'],
  'member or shared': ['system admin', 'any admin', 'owner member', 'public member'],
  reader: ['system reader', 'any admin', 'owner reader'],
  'reader or public': ['system reader', 'any admin', 'owner reader', 'public reader'],
} as const;

/**
 * One row a rule, as error messages quote it: `<verb>_<kind>`. Those of a subnet that is made, and of what is chosen for a
 * port, are asked of the network: it is its owner's business who has which address there.
 */
const rules = {
  create_network: 'member',
  get_network: 'reader or public',
  'get_network:provider': 'admin',
  update_network: 'member',
  'create_network:provider': 'admin',
  'update_network:shared': 'admin',
  'update_network:router:external': 'admin',
  delete_network: 'member',
  create_subnet: 'member',
  'create_subnet:network': 'member',
  get_subnet: 'reader or public',
  update_subnet: 'member',
  delete_subnet: 'member',
  create_port: 'member',
  'create_port:network': 'member or shared',
  'create_port:mac_address': 'member',
  'create_port:fixed_ips': 'member',
  get_port: 'reader',
  'get_port:binding': 'admin',
  update_port: 'member',
  'update_port:binding': 'admin',
  'update_port:device_owner': 'admin',
  delete_port: 'member',
  create_floatingip: 'member',
  'create_floatingip:floating_ip_address': 'admin',
  get_floatingip: 'reader',
  update_floatingip: 'member',
  delete_floatingip: 'member',
  get_quota: 'reader',
  update_quota: 'admin',
  delete_quota: 'admin',
  get_security_group: 'reader',
  get_extension: 'reader',
  get_availability_zone: 'reader',
} as const satisfies Record<string, keyof typeof checks>;

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates = ['get_network', 'get_subnet', 'get_port', 'get_floatingip'] as const satisfies (keyof typeof rules)[];

export const network = {
  checks,
  rules,
  gates,
  kindOf: (rule: string) => rule.slice(rule.indexOf('_') + 1),
  denial: (rule: string) => `rule:${rule} is disallowed by policy`,
  missing: ResourceNotFound,
} as const;
