/** One node by way of the API: enrols it and brings it to where it shall be, whatever state it is in now. */
import { isFailed, isTransient } from '../../layers/domain/baremetal/states.ts';
import type { ProvisionState } from '../../layers/domain/baremetal/transitions.ts';
import type { Verb } from '../../layers/domain/baremetal/verbs.ts';
import { Fault, isFault } from '../../layers/domain/fault.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import type { Client } from './client.ts';
import type { Images, Machine } from './machines.ts';

export type NodeView = {
  readonly uuid: string;
  readonly name: string;
  readonly provision_state: ProvisionState;
  readonly reservation: string | null;
  readonly maintenance: boolean;
  readonly last_error: string | null;
  readonly instance_uuid: string | null;
  readonly instance_info: Readonly<Record<string, unknown>>;
  readonly driver_info: Readonly<Record<string, unknown>>;
};

export type Needs = {
  readonly api: Client;
  readonly clock: Clock;
  /** Told of each verb that is sent for a node. */
  onVerb(name: string, verb: Verb): void;
};

/** What leads on from a state, by where the node shall go; a state that is not listed is the end of the way. */
const ways = {
  /** To a machine that can be deployed; one that is deployed or failed to is left as it is. */
  available: { enroll: 'manage', manageable: 'provide', 'clean failed': 'manage' },
  active: { available: 'active', 'deploy failed': 'active' },
  returned: { active: 'deleted', 'deploy failed': 'deleted', error: 'deleted' },
} as const satisfies Record<string, Partial<Record<ProvisionState, Verb>>>;

export type Goal = keyof typeof ways;

/** How often a node is looked at, and for how long before the demo gives up. Milliseconds. */
const lookEvery = 150;
const patience = 15 * 60_000;

const driverInfo = (machine: Machine, images: Images) => ({
  redfish_address: machine.address,
  redfish_system_id: machine.system_id,
  redfish_username: machine.username,
  redfish_password: machine.password,
  redfish_verify_ca: machine.certificate,
  deploy_iso: images.deploy_iso,
});

const findByName = async (api: Client, name: string): Promise<NodeView | undefined> =>
  api<NodeView>(`GET /v1/nodes/${name}`).catch((error: unknown) => {
    if (isFault(error) && error.code === 404) return undefined;
    throw error;
  });

/** The simulator may listen on other ports than last time; the password is not compared, it never comes back. */
const updates = (node: NodeView, wanted: Record<string, unknown>) =>
  Object.entries(wanted)
    .filter(([key, value]) => key !== 'redfish_password' && node.driver_info[key] !== value)
    .map(([key, value]) => ({ op: 'add', path: `/driver_info/${key}`, value }));

const createFor = async (api: Client, { name }: Machine, info: object): Promise<NodeView> =>
  api<NodeView>('POST /v1/nodes', {
    name,
    driver: 'redfish',
    driver_info: info,
    properties: { cpu_arch: 'x86_64', capabilities: 'boot_mode:uefi' },
    resource_class: 'simulated',
  });

/** The node of this machine with its one port: found from an earlier start, as far as that got, or enrolled. */
export const enrol = async ({ api }: Needs, machine: Machine, images: Images): Promise<NodeView> => {
  const wanted = driverInfo(machine, images);
  const node = (await findByName(api, machine.name)) ?? (await createFor(api, machine, wanted));
  const { ports } = await api<{ ports: unknown[] }>(`GET /v1/ports?node=${node.uuid}`);
  if (ports.length === 0) await api('POST /v1/ports', { node_uuid: node.uuid, address: machine.mac });
  const changes = updates(node, wanted);
  return changes.length === 0 ? node : api<NodeView>(`PATCH /v1/nodes/${node.uuid}`, changes);
};

/** The node once no workflow moves it. Throws Stuck (504) when that takes too long. */
const settled = async ({ api, clock }: Needs, uuid: string): Promise<NodeView> => {
  for (const end = clock.now() + patience; ; await clock.sleep(lookEvery)) {
    const node = await api<NodeView>(`GET /v1/nodes/${uuid}`);
    if (!isTransient(node) && !node.reservation) return node;
    if (clock.now() > end) {
      throw new Fault('Stuck', 504, `${node.name} is still in state "${node.provision_state}": ${node.last_error}`);
    }
  }
};

/**
 * Leads the node from where it is to `goal`, verb by verb; `body` goes with the verb `active`. Throws Failed with the
 * node's last_error when a verb does not lead on.
 */
export const lead = async (needs: Needs, uuid: string, goal: Goal, body: object = {}): Promise<NodeView> => {
  const way: Partial<Record<ProvisionState, Verb>> = ways[goal];
  const { api, onVerb } = needs;
  let node = await settled(needs, uuid);
  for (;;) {
    const verb = way[node.provision_state];
    if (!verb) return node;
    if (node.maintenance) await api(`DELETE /v1/nodes/${uuid}/maintenance`);
    onVerb(node.name, verb);
    await api(`PUT /v1/nodes/${uuid}/states/provision`, { target: verb, ...(verb === 'active' && body) });
    const next = await settled(needs, uuid);
    if (next.provision_state === node.provision_state || isFailed(next)) {
      throw new Fault('Failed', 500, `${node.name} is in state "${next.provision_state}": ${next.last_error}`);
    }
    node = next;
  }
};
