/** Which network cards a server gets: of which networks, or with which ports (compute-api.md 3). */
import type { ServerInterface } from '../../../layers/domain/compute/server-keeping.ts';
import { Conflict, type Fault, Invalid } from '../../../layers/domain/fault.ts';
import { contains, parseAddress, parseCidr } from '../../../layers/domain/network/addresses.ts';
import { isPublic } from '../../../layers/domain/network/network.ts';
import { allows, denied, type Subject } from '../../../layers/domain/policy.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { networkKinds, type StoredNetwork } from '../../../layers/store/kinds/networks.ts';
import { subnetsOf } from '../../../layers/store/networks.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { networksFor } from '../../../layers/store/server-ports.ts';

/** One as a body asks for it: of a network (`uuid`), or a port. */
export type Card = {
  readonly uuid?: string | null;
  readonly port?: string | null;
  readonly fixed_ip?: string | null;
  readonly tag?: string | null;
};

/** What `networks` of the body may be; absent: as `auto`. */
export type Networks = 'auto' | 'none' | readonly Card[] | undefined;

const blank = { fixed_ip: null, tag: null, made: true, state: 'asked', seen: null } as const;

/** What they are read with; a port that is to be made gets its UUID here. */
type Needs = Pick<Platform, 'table' | 'ids'>;

const mayUse = (subject: Subject, { project_id, shared }: StoredNetwork): boolean =>
  allows('create_port:network', subject, { project_id, public: shared });

const sees = (subject: Subject, network: StoredNetwork): boolean =>
  allows('get_network', subject, { project_id: network.project_id, public: isPublic(network) });

/** What is said of something that is not there. */
type Missing = (message: string) => Fault;

/** A network that the caller may have ports on. Throws Invalid (400), and what `missing` makes. */
const requireNetwork = async (
  table: Table,
  subject: Subject,
  uuid: string,
  missing: Missing,
): Promise<StoredNetwork> => {
  const network = await readRecord(table, networkKinds.network, uuid);
  if (!network || !sees(subject, network)) throw missing(`Network ${uuid} could not be found.`);
  if (!mayUse(subject, network)) throw Invalid(`It is not allowed to create an interface on external network ${uuid}`);
  return network;
};

/**
 * Which addresses of a network are taken is for its owner to say, as at the Network API. Throws Forbidden (403), and
 * Invalid (400) for one that is of no subnet of the network.
 */
const checkAddress = async (table: Table, subject: Subject, network: StoredNetwork, text: string): Promise<void> => {
  const rule = 'create_port:fixed_ips';
  if (!allows(rule, subject, { project_id: network.project_id })) throw denied(rule);
  const address = parseAddress(text);
  const subnets = await subnetsOf(table, network);
  if (address && subnets.some(({ cidr }) => contains(parseCidr(cidr)!, address))) return;
  throw Invalid(`Fixed IP address ${text} is of no subnet of network ${network.uuid}.`);
};

const ofPort = async (table: Table, subject: Subject, uuid: string, missing: Missing): Promise<ServerInterface> => {
  const port = await readRecord(table, networkKinds.network_port, uuid);
  if (!port || !allows('get_port', subject, port)) throw missing(`Port id ${uuid} could not be found.`);
  if (port.device_id !== '') throw Conflict(`Port ${uuid} is still in use.`);
  return { ...blank, network_id: port.network_id, port_id: uuid, made: false };
};

/**
 * A network card as it is noted down before anything is done. Throws Invalid (400), Forbidden (403), Conflict (409) for a
 * port in use, and what `missing` makes of a port or network that is not there.
 */
export const readCard = async (
  { table, ids }: Needs,
  subject: Subject,
  card: Card,
  missing: Missing = Invalid,
): Promise<ServerInterface> => {
  const { uuid, port, fixed_ip = null, tag = null } = card;
  if (port) return { ...(await ofPort(table, subject, port.toLowerCase(), missing)), tag };
  const network = await requireNetwork(table, subject, uuid!, missing);
  if (fixed_ip !== null) await checkAddress(table, subject, network, fixed_ip);
  return { ...blank, port_id: ids.uuid(), network_id: network.uuid, fixed_ip, tag };
};

/** The one network that the project can mean; none if it has none. Throws Conflict (409) if there are several. */
export const onlyNetwork = async ({ table, ids }: Needs, subject: Subject): Promise<ServerInterface[]> => {
  const found = (await networksFor(table, subject.project ?? '')).filter(
    (one) => one.shared || !one['router:external'],
  );
  if (found.length > 1) throw Conflict('Multiple possible networks found, use a Network ID to be more specific.');
  return found.map(({ uuid }) => ({ ...blank, port_id: ids.uuid(), network_id: uuid }));
};

/** Throws Invalid (400) for what several servers cannot have together. */
const checkForMany = (cards: readonly Card[]): void => {
  if (cards.some(({ port }) => port)) {
    throw Invalid(
      'Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.',
    );
  }
  const fixed = cards.find(({ fixed_ip: address }) => address);
  if (fixed)
    throw Invalid(`Invalid fixed IP Address ${fixed.fixed_ip} in server request: several servers are asked for.`);
};

/**
 * The network cards of a new server, or of each of `count`. Throws Invalid (400), Forbidden (403), Conflict (409) for a
 * port in use or if it is not clear which network is meant.
 */
export const readNetworks = async (
  needs: Needs,
  subject: Subject,
  asked: Networks,
  count: number,
): Promise<ServerInterface[]> => {
  if (asked === 'none') return [];
  if (asked === undefined || asked === 'auto' || asked.length === 0) return onlyNetwork(needs, subject);
  if (count > 1) checkForMany(asked);
  const ports = asked.flatMap(({ port }) => port ?? []);
  const twice = ports.find((port, at) => ports.indexOf(port) !== at);
  if (twice) throw Invalid(`Port ID(s) ${twice} is/are used multiple times in the request.`);
  return Promise.all(asked.map(async (card) => readCard(needs, subject, card)));
};
