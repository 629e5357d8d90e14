/**
 * The network cards of a server: ports of networks, made for it or given, which are VIFs of its machine. A machine
 * remembers which VIF is on which card with network interface `flat`; with `noop` it does not, and they are counted off:
 * the first port is on the first card, and so on.
 */
import { isBaremetal } from '../../../layers/baremetal-client/faults.ts';
import type { BaremetalClient } from '../../../layers/baremetal-client/client.ts';
import type { ServerInterface } from '../../../layers/domain/compute/server-keeping.ts';
import { Fault, isRefusal } from '../../../layers/domain/fault.ts';
import { computeOwner } from '../../../layers/domain/network/port.ts';
import { equals } from '../../../layers/platform/table.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import type { StoredPort } from '../../../layers/store/kinds/networks.ts';
import { bindPort } from '../../../layers/store/network-ports.ts';
import type { Planned } from '../../../layers/store/records/plan.ts';
import { seePorts } from '../../../layers/store/seen-ports.ts';
import { giveBackPort, portsOfServer, provideServerPort } from '../../../layers/store/server-ports.ts';
import { BuildAborted } from './failures.ts';
import { ServerLost, stillOwn } from './hold.ts';
import type { ServerContext } from './phase.ts';

type Cards = Awaited<ReturnType<BaremetalClient['getCards']>>;

const ownOf = ({ server: { uuid }, run }: ServerContext) => ({ uuid, run });

/** What a write depends on that gives something to the server. */
const fenceOf = (context: ServerContext): Planned => {
  const { uuid, run } = ownOf(context);
  return {
    write: { check: keyOf(computeKinds.server, uuid), when: [equals('run', run)] },
    refused: () => ServerLost(uuid, run),
  };
};

/** Not the fault of the network, or of a card. */
const passing = ['Superseded', 'Conflict', 'MacAddressInUse'];

/** What the network refuses stays refused on every machine, and its words are the tenant's own. */
const orAbort = async <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    if (!isRefusal(error) || passing.includes(error.name)) throw error;
    throw BuildAborted(error.message, error);
  });

const provide = async (
  context: ServerContext,
  { port_id: uuid, network_id, fixed_ip }: ServerInterface,
): Promise<void> => {
  const { platform, server } = context;
  const { tenant_id: project_id } = server;
  const fixed_ips = fixed_ip === null ? undefined : [{ ip_address: fixed_ip }];
  await orAbort(
    provideServerPort(platform, { uuid, project_id, network_id, ...(fixed_ips && { fixed_ips }) }, fenceOf(context)),
  );
};

const NoCard = (port: string, cause?: unknown) =>
  new Fault('NoCardLeft', 500, `The machine has no network card for port ${port}.`, { cause });

/** Refused where no card is free. */
const attach = async (context: ServerContext, node: string, port: string): Promise<void> => {
  await stillOwn(context.platform, ownOf(context));
  await context.machines.attachVif(node, port).catch((error: unknown) => {
    throw isBaremetal(error, 'BaremetalRefused') ? NoCard(port, error) : error;
  });
};

/**
 * The MAC address of the card, or group of cards, that a port is on; null: of a group that has none of its own. Where the
 * machine does not say, it is the first card that no other port of the server is on.
 */
const macOf = ({ cards, groups }: Cards, port: string, own: readonly StoredPort[]): string | null => {
  const holder = groups.find(({ vif }) => vif === port) ?? cards.find(({ vif }) => vif === port);
  if (holder) return holder.address;
  const macs = (of: (one: StoredPort) => boolean) => own.filter(of).map(({ mac_address: mac }) => mac);
  const [mine, others] = [macs(({ uuid }) => uuid === port), macs(({ uuid }) => uuid !== port)];
  const left = cards.filter(({ vif, address }) => vif === null && !others.includes(address));
  const card = left.find(({ address }) => mine.includes(address)) ?? left[0];
  if (!card) throw NoCard(port);
  return card.address;
};

const bind = async (context: ServerContext, node: string, cards: Cards, port: string): Promise<void> => {
  const { platform, server } = context;
  const mac = macOf(cards, port, await portsOfServer(platform.table, server.uuid));
  const binding = {
    device_id: server.uuid,
    device_owner: `${computeOwner}${server.availability_zone}`,
    host_id: node,
    ...(mac !== null && { mac_address: mac }),
  };
  await orAbort(bindPort(platform, port, binding, fenceOf(context)));
};

/** Takes all VIFs off a node that its server gives back, or those that are none of its own. */
export const unplugAll = async (
  { machines }: Pick<ServerContext, 'machines'>,
  node: string,
  but: readonly string[] = [],
): Promise<void> => {
  for (const vif of await machines.listVifs(node)) if (!but.includes(vif)) await machines.detachVif(node, vif);
};

/**
 * Makes, plugs and binds ports of a server whose machine the node is, as far as that is not done. Answers these interfaces,
 * plugged. Throws BuildAborted for what the network refuses, NoCardLeft, Superseded.
 */
export const plugPorts = async (
  context: ServerContext,
  node: string,
  interfaces: readonly ServerInterface[],
): Promise<readonly ServerInterface[]> => {
  const { machines, platform } = context;
  for (const one of interfaces.filter(({ made }) => made)) await provide(context, one);
  const wanted = interfaces.map(({ port_id: port }) => port);
  if (wanted.length === 0) return [];
  const there = await machines.listVifs(node);
  for (const port of wanted.filter((id) => !there.includes(id))) await attach(context, node, port);
  const cards = await machines.getCards(node);
  for (const port of wanted) await bind(context, node, cards, port);
  return (await seePorts(platform.table, interfaces)).map((one) => ({ ...one, state: 'plugged' }));
};

/**
 * Unplugs ports of a server and takes them back: those that were made for it go, those that were given are free again.
 * `node`: undefined if none has the server any more, and there is nothing to unplug them from.
 */
export const unplugPorts = async (
  { machines, platform, server: { uuid: server } }: ServerContext,
  node: string | undefined,
  interfaces: readonly ServerInterface[],
): Promise<void> => {
  for (const { port_id: port, made } of interfaces) {
    if (node !== undefined) await machines.detachVif(node, port);
    await giveBackPort(platform, { port, server, made });
  }
};

const asked = (one: ServerInterface): ServerInterface => ({ ...one, state: 'asked', seen: null });

/** Takes back all ports of a server. Answers the change of the server that no node has any more. */
export const takeBackPorts = async ({
  platform,
  server,
}: Pick<ServerContext, 'platform' | 'server'>): Promise<(server: StoredServer) => Partial<StoredServer>> => {
  const { uuid, interfaces } = server;
  for (const { port_id: port, made } of interfaces) await giveBackPort(platform, { port, server: uuid, made });
  for (const { uuid: port } of await portsOfServer(platform.table, uuid)) {
    await giveBackPort(platform, { port, server: uuid, made: false });
  }
  return (now) => ({ node_uuid: null, host: null, interfaces: now.interfaces.map(asked) });
};
