/**
 * /servers/{id}/os-interface (compute-api.md 3): its network cards. A port is made, or reserved, by the request; a run makes
 * the machine's VIFs what the list of the server says.
 */
import * as z from 'zod';

import { checkAction } from '../../../layers/domain/compute/actions.ts';
import type { ServerInterface } from '../../../layers/domain/compute/server-keeping.ts';
import { Conflict, Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { PortInUse } from '../../../layers/domain/network/faults.ts';
import { computeOwner } from '../../../layers/domain/network/port.ts';
import { allows } from '../../../layers/domain/policy.ts';
import { text, uuid } from '../../../layers/domain/values.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changePort, createPort, removePort, unbindPort } from '../../../layers/store/network-ports.ts';
import { seePort } from '../../../layers/store/seen-ports.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { act } from './act.ts';
import { findServer as find } from './find.ts';
import { onlyNetwork, readCard } from './new-interfaces.ts';

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

/** Those that have a port. */
const attached = ({ interfaces }: StoredServer): ServerInterface[] =>
  interfaces.filter(({ port_id: port }) => port !== null);

/** The card of a port. Throws NotFound (404). */
const cardOf = (server: StoredServer, port: string): ServerInterface => {
  const found = attached(server).find(({ port_id: id }) => id === port.toLowerCase());
  if (!found) throw NotFound(`Port ${port} is not attached to instance ${server.uuid}.`);
  return found;
};

type Attach = Call<Attachment, StoredServer>;

/** What is asked for. Throws Invalid (400), NotFound (404), Conflict (409). */
const readAsked = async ({ table }: Deps, { subject, body: { interfaceAttachment: asked } }: Attach) => {
  const { port_id: port, net_id: network, fixed_ips: ips, tag } = asked;
  if (port && network) throw Invalid('Must not input both network_id and port_id');
  if (ips && !network) throw Invalid('Must input network_id when request IP address');
  const fixed_ip = ips?.[0]?.ip_address;
  if (port || network) {
    return readCard(
      table,
      subject,
      { uuid: network ?? null, port: port ?? null, fixed_ip: fixed_ip ?? null, tag: tag ?? null },
      NotFound,
    );
  }
  const [only] = await onlyNetwork(table, subject);
  if (!only) throw Invalid('There is no network that the project could have an interface of.');
  return { ...only, tag: tag ?? null };
};

/** A port for the card, which from then on is the server's. Throws what the network has to say. */
const takePort = async (
  deps: Deps,
  { uuid: device_id, ...server }: StoredServer,
  card: ServerInterface,
): Promise<string> => {
  const device_owner = `${computeOwner}${server.availability_zone}`;
  if (card.port_id !== null) {
    await changePort(deps, card.port_id, ({ device_id: device, network_id: network }) => {
      if (device !== '') throw PortInUse(card.port_id!, network, device);
      return { device_id, device_owner };
    });
    return card.port_id;
  }
  const made = await createPort(deps, {
    project_id: server.tenant_id,
    network_id: card.network_id,
    device_id,
    device_owner,
    ...(card.fixed_ip !== null && { fixed_ips: [{ ip_address: card.fixed_ip }] }),
  });
  return made.uuid;
};

/** Gives a port back that the server does not get after all. */
const letGo = async (deps: Deps, { uuid: server }: StoredServer, port: string, made: boolean): Promise<void> => {
  if (made) await removePort(deps, port);
  else await unbindPort(deps, port, server);
};

const attach = async (deps: Deps, call: Attach): Promise<ServerInterface> => {
  const { target, subject } = call;
  checkAction('attach_interface', target, allows('os_compute_api:os-lock-server:unlock:unlock_override', subject));
  const asked = await readAsked(deps, call);
  const port = await takePort(deps, target, asked);
  try {
    const card: ServerInterface = { ...asked, port_id: port, seen: await seePort(deps.table, port) };
    await act(deps, call, { action: 'attach_interface', values: { port_id: port } }, ({ interfaces }) => {
      if (interfaces.some(({ port_id: id }) => id === port)) throw Conflict(`Port ${port} is still in use.`);
      return { set: { interfaces: [...interfaces, card] } };
    });
    return card;
  } catch (error) {
    await letGo(deps, target, port, asked.made);
    throw error;
  }
};

export const interfaceRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-attach-interfaces:list',
    find,
    handle: async (_deps, call) => ({
      body: { interfaceAttachments: attached(call.target).map((card) => showInterface(call, card)) },
    }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/{port_id}`,
    policy: 'os_compute_api:os-attach-interfaces:show',
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
