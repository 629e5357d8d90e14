/** Networks. */
import { network } from '../../layers/domain/network/network.ts';
import type { Shown } from '../../layers/domain/projection.ts';
import { networkKinds, type StoredNetwork } from '../../layers/store/kinds/networks.ts';
import { changeNetwork, createNetwork, findNetwork, removeNetwork } from '../../layers/store/networks.ts';
import { authorizeFields } from './body.ts';
import type { Resource } from './crud.ts';
import { standardShown } from './view.ts';

const shown: Shown<StoredNetwork> = {
  ...standardShown,
  status: ({ admin_state_up: up }) => (up ? 'ACTIVE' : 'DOWN'),
};

export const networks: Resource<StoredNetwork> = {
  collection: 'networks',
  name: 'network',
  rows: network,
  kind: networkKinds.network,
  shown,
  open: [{ index: 'public', value: '' }],
  find: findNetwork,
  create: async (deps, _call, values) => createNetwork(deps, values),
  change: async (deps, { subject }, { uuid }, values) =>
    changeNetwork(deps, uuid, values, (before) => {
      authorizeFields(network, values, subject, before);
    }),
  remove: async (deps, _call, { uuid }) => removeNetwork(deps, uuid),
};
