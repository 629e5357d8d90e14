/** Subnets. Who has a network makes them. */
import { ResourceNotFound } from '../../layers/domain/network/faults.ts';
import { completeSubnet, type Subnet, subnet } from '../../layers/domain/network/subnet.ts';
import { allows, denied, type Rule, type Subject } from '../../layers/domain/policy.ts';
import type { Table } from '../../layers/platform/table.ts';
import { networkKinds, type StoredSubnet } from '../../layers/store/kinds/networks.ts';
import { findNetwork } from '../../layers/store/networks.ts';
import { changeSubnet, createSubnet, findSubnet, removeSubnet } from '../../layers/store/subnets.ts';
import type { Resource } from './crud.ts';
import { standardShown } from './view.ts';

/** Refuses what is not for this caller on a network. Throws NetworkNotFound (404) if he may not even see it, Forbidden (403). */
const authorizeOn = async (table: Table, uuid: string, subject: Subject, rule: Rule): Promise<void> => {
  const network = await findNetwork(table, uuid);
  if (!allows('get_network', subject, network)) throw ResourceNotFound('network', uuid);
  if (!allows(rule, subject, network)) throw denied(rule);
};

/** Made meanwhile, given up meanwhile: only null says that there shall be no gateway. */
const gatewayIn = ({ gateway_ip: gateway }: Readonly<Record<string, unknown>>, read: Partial<Subnet>) =>
  gateway === null ? null : read.gateway_ip;

export const subnets: Resource<StoredSubnet> = {
  collection: 'subnets',
  name: 'subnet',
  rows: subnet,
  kind: networkKinds.subnet,
  shown: standardShown,
  open: [{ index: 'public', value: '' }],
  find: findSubnet,
  create: async (deps, { subject }, values, given) => {
    const read = values as Partial<Subnet> & Pick<Subnet, 'cidr' | 'network_id'>;
    await authorizeOn(deps.table, read.network_id, subject, 'create_subnet:network');
    const { cidr, allocation_pools } = read;
    return createSubnet(deps, {
      ...read,
      ...completeSubnet({ cidr, allocation_pools, gateway_ip: gatewayIn(given, read) }),
    });
  },
  change: async (deps, _call, { uuid }, values) => changeSubnet(deps, uuid, values, () => undefined),
  remove: async (deps, _call, { uuid }) => removeSubnet(deps, uuid),
};
