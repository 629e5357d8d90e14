/** What a node is doing, and the requests that change it (ironic-api.md 2.1). */
import { withheldFrom, withhold } from '../../../layers/domain/masking.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { projector } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';
import { powerRoute } from './power.ts';
import { provisionRoute } from './provision.ts';

const shown = [
  'console_enabled',
  'last_error',
  'power_state',
  'provision_state',
  'provision_updated_at',
  'target_power_state',
  'target_provision_state',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
] as const;

const stateFields = Object.fromEntries(shown.map((name) => [name, nodeFields[name]]));

export const stateRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/states',
    policy: 'baremetal:node:get_states',
    answers: { name: 'NodeStates', rows: stateFields },
    find: findByIdent,
    handle: async (_deps, { version, target, subject }) => ({
      body: withhold(projector(stateFields, version, 'all')(target), withheldFrom(subject)(target)),
    }),
  }),
  powerRoute,
  provisionRoute,
];
