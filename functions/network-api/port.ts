/** Ports. */
import { InvalidInput, PortInUse, ResourceNotFound } from '../../layers/domain/network/faults.ts';
import { isBound, port } from '../../layers/domain/network/port.ts';
import { allows, denied, type Rule, type Subject } from '../../layers/domain/policy.ts';
import type { Shown } from '../../layers/domain/projection.ts';
import { networkKinds, type StoredNetwork, type StoredPort } from '../../layers/store/kinds/networks.ts';
import { changePort, createPort, findPort, type NewPort, removePort } from '../../layers/store/network-ports.ts';
import { findNetwork } from '../../layers/store/networks.ts';
import { authorizeFields, type Values } from './body.ts';
import type { Resource } from './crud.ts';
import type { Keep } from './list.ts';
import { groupOf } from './security-group.ts';
import { standardShown } from './view.ts';

const shown: Shown<StoredPort> = {
  ...standardShown,
  'binding:vif_type': (record) => (isBound(record) ? 'other' : 'unbound'),
};

/** `ip_address=10.0.0.5`: a part of an address of the port. */
const hasIp = ({ fixed_ips: ips }: StoredPort, text: string): boolean => {
  const [name, value = ''] = text.split(/=(.*)/s);
  if (name === 'subnet_id') return ips.some(({ subnet_id: id }) => id === value);
  if (name === 'ip_address') return ips.some(({ ip_address: ip }) => ip === value);
  return name === 'ip_address_substr' && ips.some(({ ip_address: ip }) => ip.includes(value));
};

const filters: Readonly<Record<string, Keep<StoredPort>>> = {
  fixed_ips: (record, values) => values.every((value) => hasIp(record, value)),
  ip_address: (record, values) => values.some((value) => hasIp(record, `ip_address=${value}`)),
  subnet_id: (record, values) => values.some((value) => hasIp(record, `subnet_id=${value}`)),
  security_groups: ({ security_groups: groups }, values) => values.some((value) => groups.includes(value)),
};

/** What the owner of a network decides: which addresses there are taken. */
const choices = (values: Values): Rule[] => {
  const ips = (values['fixed_ips'] ?? []) as readonly { readonly ip_address?: string }[];
  return [
    ...(values['mac_address'] ? (['create_port:mac_address'] as const) : []),
    ...(ips.some(({ ip_address: ip }) => ip !== undefined) ? (['create_port:fixed_ips'] as const) : []),
  ];
};

const refuseChoices = (values: Values, subject: Subject, network: StoredNetwork): void => {
  const refused = choices(values).find((rule) => !allows(rule, subject, { project_id: network.project_id }));
  if (refused) throw denied(refused);
};

/** Whether a caller may have a port on a network: on one that is only external, addresses are for floating IPs. */
const authorizeOn = (network: StoredNetwork, subject: Subject): void => {
  const { project_id, shared } = network;
  if (!allows('get_network', subject, network)) throw ResourceNotFound('network', network.uuid);
  if (!allows('create_port:network', subject, { project_id, public: shared })) throw denied('create_port:network');
};

const refuseGroups = ({ security_groups: groups = [] }: Values, project: string): void => {
  const strange = (groups as readonly string[]).find((group) => group !== groupOf(project));
  if (strange !== undefined) throw InvalidInput(`security group ${strange} is not that of project ${project}`);
};

/** Which server has a port is for whoever runs servers to say, while one has it. Throws PortInUse (409). */
const refuseDevice = (before: StoredPort, { device_id: device = before.device_id }: Values, subject: Subject): void => {
  if (!isBound(before) || device === before.device_id || allows('update_port:device_owner', subject, before)) return;
  throw PortInUse(before.uuid, before.network_id, before.device_id);
};

export const ports: Resource<StoredPort> = {
  collection: 'ports',
  name: 'port',
  rows: port,
  kind: networkKinds.network_port,
  shown,
  filters,
  find: findPort,
  ports: ({ uuid }) => [uuid],
  create: async (deps, { subject }, values) => {
    refuseGroups(values, values['project_id'] as string);
    return createPort(deps, values as unknown as NewPort, {
      permit: (network) => {
        authorizeOn(network, subject);
        refuseChoices(values, subject, network);
      },
    });
  },
  change: async (deps, { subject }, target, values) => {
    refuseGroups(values, target.project_id);
    if (choices(values).length > 0) refuseChoices(values, subject, await findNetwork(deps.table, target.network_id));
    return changePort(deps, target.uuid, (before) => {
      authorizeFields(port, values, subject, before);
      refuseDevice(before, values, subject);
      return values;
    });
  },
  remove: async (deps, _call, { uuid }) =>
    removePort(deps, uuid, (before) => {
      if (isBound(before)) throw PortInUse(uuid, before.network_id, before.device_id);
    }),
};
