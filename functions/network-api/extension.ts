/** What of Neutron's extensions there is here: clients ask before they use one. */
import { NotFound } from '../../layers/domain/fault.ts';
import { route, type Route } from './route.ts';

/** By their aliases. What is not served is not said to be: there are no routers, no agents and no filters of packets. */
export const extensions: Readonly<Record<string, readonly [name: string, description: string]>> = {
  'external-net': ['Neutron external network', 'Networks of which floating addresses are.'],
  provider: ['Provider Network', 'Where a network is in the equipment, for administrators.'],
  'net-mtu': ['Network MTU', 'Most bytes of a packet on a network.'],
  'net-mtu-writable': ['Network MTU (writable)', 'It can be changed.'],
  binding: ['Port Binding', 'The machine that has a port, for administrators.'],
  'port-mac-address-regenerate': ['Neutron Port MAC address regenerate', 'A MAC address of null is a new one.'],
  quotas: ['Quota management support', 'Limits of a project.'],
  quota_details: ['Quota details management support', 'Limits of a project, and what it has.'],
  'project-id': ['project_id field enabled', 'The project of a record, by its new name too.'],
  availability_zone: ['Availability Zone', 'Zones of agents, of which there are none.'],
  pagination: ['Pagination support', 'Lists have pages.'],
  sorting: ['Sorting support', 'Lists have an order.'],
  'standard-attr-description': ['standard-attr-description', 'Records have a description.'],
  'standard-attr-timestamp': ['Resource timestamps', 'Records say when they were made and changed.'],
  'standard-attr-revisions': ['Resource revision numbers', 'Records count their changes.'],
  'standard-attr-tag': ['Tag support', 'Records have tags.'],
  'filter-validation': ['Filter parameters validation', 'A filter that there is not is refused.'],
  'ip-substring-filtering': ['IP address substring filtering', 'Ports are found by a part of an address.'],
};

/** When this list was last changed. */
const updated = '2026-01-01T00:00:00-00:00';

const all = Object.entries(extensions).map(([alias, [name, description]]) => ({
  alias,
  name,
  description,
  updated,
  links: [],
}));

export const extensionRoutes: readonly Route[] = [
  route({
    at: 'GET /v2.0/extensions',
    policy: 'get_extension',
    query: { fields: {} },
    handle: async () => ({ body: { extensions: all } }),
  }),
  route({
    at: 'GET /v2.0/extensions/{alias}',
    policy: 'get_extension',
    handle: async (_deps, { params: { alias } }) => {
      const extension = all.find((one) => one.alias === alias);
      if (!extension) throw NotFound(`Extension with alias ${alias} does not exist`);
      return { body: { extension } };
    },
  }),
  route({
    at: 'GET /v2.0/availability_zones',
    policy: 'get_availability_zone',
    query: Object.fromEntries(
      ['fields', 'limit', 'marker', 'name', 'resource', 'state', 'sort_key', 'sort_dir'].map((name) => [name, {}]),
    ),
    // A zone of Neutron is one of its agents, of which there are none.
    handle: async () => ({ body: { availability_zones: [] } }),
  }),
];
