/**
 * /servers/{id}/os-interface (compute-api.md 3): its network cards. A port is made, or reserved, by the request; a run makes
 * the machine's VIFs what the list of the server says.
 */
import * as z from 'zod';

import type { ServerInterface } from '../../../layers/domain/compute/server-keeping.ts';
import { Conflict, Invalid, isRefusal, NotFound } from '../../../layers/domain/fault.ts';
import { PortInUse } from '../../../layers/domain/network/faults.ts';
import { computeOwner } from '../../../layers/domain/network/port.ts';
import { text, uuid } from '../../../layers/domain/values.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changePort } from '../../../layers/store/network-ports.ts';
import { type Changed, changeRecord } from '../../../layers/store/records/change.ts';
import { seePorts } from '../../../layers/store/seen-ports.ts';
import { provideServerPort } from '../../../layers/store/server-ports.ts';
import { endRun } from '../../../layers/store/servers.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { act, note } from './act.ts';
import { findServer as find } from './find.ts';
import { lookForCards } from './free-cards.ts';
import { onlyNetwork, readCard } from './new-interfaces.ts';
import { putToWork } from './start.ts';

const at = '/v2.1/servers/{server_id}/os-interface';

/** From here on each has a tag, and can be given one since 2.49. */
const tagged = { shown: 70, given: 49 } as const;

const ip = z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' });

const attachment = {
  port_id: uuid.nullish(),
  net_id: uuid.nullish(),
  fixed_ips: z
    .array(z.strictObject({ ip_address: ip }))
    .length(1)
    .optional(),
};

const bodies = [
  z.strictObject({ interfaceAttachment: z.strictObject(attachment) }),
  z.strictObject({ interfaceAttachment: z.strictObject({ ...attachment, tag: text(60).optional() }) }),
] as const;

type Attachment = z.output<(typeof bodies)[1]>;

const showInterface = ({ version }: Pick<Call, 'version'>, card: ServerInterface) => ({
  port_id: card.port_id,
  net_id: card.network_id,
  mac_addr: card.seen?.mac_address ?? '',
  port_state: card.state === 'plugged' ? 'ACTIVE' : 'DOWN',
  fixed_ips: (card.seen?.fixed_ips ?? []).map(({ ip_address, subnet_id }) => ({ ip_address, subnet_id })),
  ...(version >= tagged.shown && { tag: card.tag }),
});

/** Those whose port is there. */
const attached = ({ interfaces }: StoredServer): ServerInterface[] => interfaces.filter(({ seen }) => seen !== null);

/** The card of a port. Throws NotFound (404). */
const cardOf = (server: StoredServer, port: string): ServerInterface => {
  const found = attached(server).find(({ port_id: id }) => id === port.toLowerCase());
  if (!found) throw NotFound(`Port ${port} is not attached to instance ${server.uuid}.`);
  return found;
};

type Attach = Call<Attachment, StoredServer>;

/** What is asked for. Throws Invalid (400), NotFound (404), Conflict (409). */
const readAsked = async (deps: Deps, { subject, body: { interfaceAttachment: asked } }: Attach) => {
  const { port_id: port = null, net_id: network = null, fixed_ips: ips, tag = null } = asked;
  if (port && network) throw Invalid('Must not input both network_id and port_id');
  if (ips && !network) throw Invalid('Must input network_id when request IP address');
  const fixed_ip = ips?.[0]?.ip_address ?? null;
  if (port || network) return readCard(deps, subject, { uuid: network, port, fixed_ip, tag }, NotFound);
  const [only] = await onlyNetwork(deps, subject);
  if (!only) throw Invalid('There is no network that the project could have an interface of.');
  return { ...only, tag };
};

/** Makes the port of a card, or takes the one that was named. Throws what the network has to say. */
const takePort = async (deps: Deps, { uuid: device_id, ...server }: StoredServer, card: ServerInterface) => {
  const device_owner = `${computeOwner}${server.availability_zone}`;
  const { port_id: uuid, network_id, fixed_ip } = card;
  if (card.made) {
    const fixed_ips = fixed_ip === null ? {} : { fixed_ips: [{ ip_address: fixed_ip }] };
    await provideServerPort(deps, {
      uuid,
      project_id: server.tenant_id,
      network_id,
      device_id,
      device_owner,
      ...fixed_ips,
    });
    return;
  }
  await changePort(deps, uuid, ({ device_id: device }) => {
    if (device !== '' && device !== device_id) throw PortInUse(uuid, network_id, device);
    return { device_id, device_owner };
  });
};

/** A card that was noted down goes again, and the run that was to plug it, if it has nothing else to do. */
const forget = async (deps: Deps, { before, after }: Changed<StoredServer>, port: string): Promise<void> => {
  await changeRecord(deps, computeKinds.server, after.uuid, ({ interfaces, run }) => {
    const left = interfaces.filter(({ port_id: id }) => id !== port);
    const isIdle = run === after.run && before.run === null && left.every(({ state }) => state === 'plugged');
    return { set: { interfaces: left, ...(isIdle && endRun()) } };
  });
};

/** What its port is, with the card. */
const look = async (deps: Deps, server: string, port: string): Promise<ServerInterface> => {
  const { after } = await changeRecord(deps, computeKinds.server, server, async ({ interfaces }) => ({
    set: { interfaces: await seePorts(deps.table, interfaces) },
  }));
  return after.interfaces.find(({ port_id: id }) => id === port)!;
};

/** The card is noted down first: whoever dies after that leaves one that the run goes on with. */
const attach = async (deps: Deps, call: Attach): Promise<ServerInterface> => {
  const { target } = call;
  const card = await readAsked(deps, call);
  const { port_id } = card;
  const requireCard = await lookForCards(deps, call);
  const changed = await note(deps, call, { action: 'attach_interface', values: { port_id } }, ({ interfaces }) => {
    if (interfaces.some(({ port_id: id }) => id === port_id)) throw Conflict(`Port ${port_id} is still in use.`);
    requireCard(interfaces);
    return { set: { interfaces: [...interfaces, card] } };
  });
  try {
    await takePort(deps, target, card);
  } catch (error) {
    if (isRefusal(error)) await forget(deps, changed, port_id);
    throw error;
  }
  const seen = await look(deps, target.uuid, port_id);
  await putToWork(deps, changed, `Server ${target.uuid} was asked for attach_interface.`);
  return seen;
};

const shownInterface = z.object({
  port_id: uuid,
  net_id: uuid,
  mac_addr: z.string(),
  port_state: z.enum(['ACTIVE', 'DOWN']),
  fixed_ips: z.array(z.object({ ip_address: ip, subnet_id: uuid })),
  tag: z.string().nullish(),
});

export const interfaceRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-attach-interfaces:list',
    shows: z.object({ interfaceAttachments: z.array(shownInterface) }),
    find,
    handle: async (_deps, call) => ({
      body: { interfaceAttachments: attached(call.target).map((card) => showInterface(call, card)) },
    }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/{port_id}`,
    policy: 'os_compute_api:os-attach-interfaces:show',
    shows: z.object({ interfaceAttachment: shownInterface }),
    find,
    handle: async (_deps, call) => ({
      body: { interfaceAttachment: showInterface(call, cardOf(call.target, call.params['port_id']!)) },
    }),
  }),
  route<Attachment, StoredServer>({
    at: `POST ${at}`,
    policy: 'os_compute_api:os-attach-interfaces:create',
    status: 200,
    body: (version) => (version < tagged.given ? bodies[0] : bodies[1]),
    shows: z.object({ interfaceAttachment: shownInterface }),
    find,
    handle: async (deps, call) => ({ body: { interfaceAttachment: showInterface(call, await attach(deps, call)) } }),
  }),
  route<undefined, StoredServer>({
    at: `DELETE ${at}/{port_id}`,
    policy: 'os_compute_api:os-attach-interfaces:delete',
    status: 202,
    find,
    handle: async (deps, call) => {
      const port = call.params['port_id']!.toLowerCase();
      await act(deps, call, { action: 'detach_interface', values: { port_id: port } }, (server) => {
        const card = cardOf(server, port);
        const left = (one: ServerInterface) =>
          one.port_id === card.port_id ? { ...one, state: 'leaving' as const } : one;
        return { set: { interfaces: server.interfaces.map(left) } };
      });
      return {};
    },
  }),
];
