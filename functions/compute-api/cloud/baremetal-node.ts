/** /os-baremetal-nodes (compute-api.md 5): nodes as clients of nova-baremetal knew them, to read only, until 2.35. */
import * as z from 'zod';

import type { ShownMachine } from '../../../layers/baremetal-client/shown.ts';
import type { ComputeRule } from '../../../layers/domain/compute/policy.ts';
import { NotFound } from '../../../layers/domain/fault.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { readLimit } from '../list.ts';
import { route, type Route } from '../route.ts';
import { machinesAs, orForbidden, orMissing } from './machines.ts';

const at = '/v2.1/os-baremetal-nodes';
const until = 35;

type Address = { readonly address: string };

const viewOf = ({ uuid, provision_state, properties }: ShownMachine, interfaces: readonly Address[]) => ({
  id: uuid,
  interfaces,
  host: 'IRONIC MANAGED',
  task_state: provision_state,
  cpus: properties['cpus'] ?? '0',
  memory_mb: properties['memory_mb'] ?? '0',
  disk_gb: properties['local_gb'] ?? '0',
});

const missing = (id: string) => () => NotFound(`Node ${id} could not be found.`);

const shown = z.object({
  id: z.uuid(),
  interfaces: z.array(z.object({ address: z.string() })),
  host: z.string(),
  task_state: z.string(),
  cpus: z.unknown(),
  memory_mb: z.unknown(),
  disk_gb: z.unknown(),
});

/** A write of nova-baremetal's. */
const refused = (line: `${'POST' | 'DELETE'} /${string}`, policy: ComputeRule, command: string): Route =>
  route({
    at: line,
    until,
    policy,
    refuses: 404,
    handle: async () => {
      throw NotFound(`Nodes are not changed here: use openstack baremetal ${command}.`);
    },
  });

export const baremetalNodeRoutes: readonly Route[] = [
  route({
    at: `GET ${at}`,
    until,
    policy: 'os_compute_api:os-baremetal-nodes:list',
    doc: 'Nodes as clients of nova-baremetal knew them.',
    shows: z.object({ nodes: z.array(shown) }),
    query: { limit: {} },
    handle: async (deps, call) => {
      const asked = machinesAs(deps, call).listMachines({ limit: readLimit(call) });
      const found = await orForbidden(asked, 'os_compute_api:os-baremetal-nodes:list');
      return { body: { nodes: found.map((machine) => viewOf(machine, [])) } };
    },
  }),
  route({
    at: `GET ${at}/{node_id}`,
    until,
    policy: 'os_compute_api:os-baremetal-nodes:show',
    doc: 'One of them, with its network cards and its instance.',
    shows: z.object({ node: shown.extend({ instance_uuid: z.uuid().nullable() }) }),
    handle: async (deps, call) => {
      const [id, machines] = [call.params['node_id']!, machinesAs(deps, call)];
      const rule = 'os_compute_api:os-baremetal-nodes:show';
      // The Bare Metal API finds nodes by their names, too.
      if (!isUuid(id)) throw missing(id)();
      const machine = await orForbidden(orMissing(machines.getMachine(id), missing(id)), rule);
      const { cards } = await orForbidden(orMissing(machines.getCards(id), missing(id)), rule);
      const view = viewOf(
        machine,
        cards.map(({ address }) => ({ address })),
      );
      return { body: { node: { ...view, instance_uuid: machine.instance_uuid } } };
    },
  }),
  refused(`POST ${at}`, 'os_compute_api:os-baremetal-nodes:list', 'node create'),
  refused(`DELETE ${at}/{node_id}`, 'os_compute_api:os-baremetal-nodes:show', 'node delete'),
  refused(`POST ${at}/{node_id}/action`, 'os_compute_api:os-baremetal-nodes:show', 'port create or port delete'),
];
