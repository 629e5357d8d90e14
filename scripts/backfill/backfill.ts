/**
 * Adds to instance_info what the deploys of the past did not write. Nothing that is there
 * is changed: a patch says what it expects to find, and is refused as a whole if that is not so any more.
 */
import * as z from 'zod';

import { Fault, isFault } from '../../layers/domain/fault.ts';
import { toldBy, type Names } from './metadata.ts';
import type { Servers } from '../../migrate/nova/servers.ts';
import { faultstringOf, type Service } from '../../migrate/service.ts';

/** What became of a node with an instance. */
export type Outcome = {
  readonly node_uuid: string;
  /**
   * `would-update`: it is a trial. `unchanged`: there is nothing to add. `server-not-found`: Nova does not know the
   * instance; `server-elsewhere`: it has it on another node. `released`: the node has another instance, or none, by now.
   */
  readonly result:
    | 'updated'
    | 'would-update'
    | 'unchanged'
    | 'server-not-found'
    | 'server-elsewhere'
    | 'released'
    | 'failed';
  /** Keys of instance_info; lists of addresses as lists. */
  readonly added: Readonly<Record<string, unknown>>;
  /** Those that were there, and stay. */
  readonly kept?: readonly string[];
  /** The project that the node is leased to by this. */
  readonly lessee: string | null;
  readonly reason?: string;
};

export type Options = {
  readonly set_lessee: boolean;
  readonly dry_run: boolean;
  readonly names: Names;
};

type Needs = {
  readonly baremetal: Service;
  readonly servers: Servers;
  sleep(ms: number): Promise<void>;
};

const node = z.object({
  uuid: z.string(),
  name: z.string().nullable(),
  instance_uuid: z.string().nullable(),
  instance_info: z.record(z.string(), z.unknown()),
  lessee: z.string().nullable(),
});
type Node = z.output<typeof node>;

const fields = `fields=${Object.keys(node.shape).join(',')}`;

/** Before a PATCH began to fill in other fields by what instance_info says (1.104). */
const headers = { 'OpenStack-API-Version': 'baremetal 1.83', 'X-OpenStack-Ironic-API-Version': '1.83' };

const refusal = (status: number, body: unknown): string =>
  `The Bare Metal API answered with ${status}: ${faultstringOf(body)}`;

const Failed = (status: number, body: unknown) => new Fault('BaremetalFailed', 502, refusal(status, body));

const nodeList = z.object({ nodes: z.array(node), next: z.string().optional() });

/** Every node with an instance, page by page. */
const nodesOf = async (baremetal: Service): Promise<Node[]> => {
  const found: Node[] = [];
  for (let marker = ''; ;) {
    const path = `/v1/nodes?associated=true&include_children=true&limit=500&${fields}${marker}`;
    const { status, body } = await baremetal('GET', path, { headers });
    if (status !== 200) throw Failed(status, body);
    const { nodes, next } = nodeList.parse(body);
    found.push(...nodes);
    if (next === undefined || nodes.length === 0) return found;
    marker = `&marker=${nodes.at(-1)!.uuid}`;
  }
};

/** How often a node is looked at again that somebody works on, or has changed meanwhile. */
const tries = 6;
const pause = 2000;

/** The text of a list of addresses as a list. */
const shown = (name: string, value: unknown): unknown =>
  name.endsWith('_ips') ? (JSON.parse(value as string) as unknown) : value;

/** What is to be done about a node. */
type Wish = {
  readonly add: Readonly<Record<string, unknown>>;
  readonly kept: readonly string[];
  readonly lessee: string | null;
};

const wishFor = (found: Node, told: Readonly<Record<string, unknown>>, { set_lessee }: Options): Wish => {
  const isThere = ([name]: [string, unknown]) => Object.hasOwn(found.instance_info, name);
  const add = Object.fromEntries(Object.entries(told).filter((one) => !isThere(one)));
  const kept = Object.entries(told)
    .filter(isThere)
    .map(([name]) => name);
  const project = { ...add, ...found.instance_info }['project_id'];
  const leases = set_lessee && found.lessee === null && typeof project === 'string' && project !== '';
  return { add, kept, lessee: leases ? project : null };
};

const patchOf = ({ instance_uuid, instance_info, lessee }: Node, wish: Wish): object[] => [
  { op: 'test', path: '/instance_uuid', value: instance_uuid },
  { op: 'test', path: '/instance_info', value: instance_info },
  ...(wish.lessee === null ? [] : [{ op: 'test', path: '/lessee', value: lessee }]),
  ...Object.entries(wish.add).map(([name, value]) => ({ op: 'add', path: `/instance_info/${name}`, value })),
];

/** Looks again at a node; undefined if the instance is not there any more. */
const reread = async ({ baremetal }: Needs, { uuid, instance_uuid }: Node): Promise<Node | undefined> => {
  const { status, body } = await baremetal('GET', `/v1/nodes/${uuid}?${fields}`, { headers });
  if (status === 404) return undefined;
  if (status !== 200) throw Failed(status, body);
  const found = node.parse(body);
  return found.instance_uuid === instance_uuid ? found : undefined;
};

const write = async (
  needs: Needs,
  first: Node,
  told: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<Outcome> => {
  let found: Node | undefined = first;
  for (let left = tries; found; left -= 1) {
    const wish = wishFor(found, told, options);
    const added = Object.fromEntries(Object.entries(wish.add).map(([name, value]) => [name, shown(name, value)]));
    const outcome = { node_uuid: found.uuid, added, kept: wish.kept, lessee: wish.lessee };
    if (Object.keys(added).length === 0 && wish.lessee === null) return { ...outcome, result: 'unchanged' };
    if (options.dry_run) return { ...outcome, result: 'would-update' };
    const lease = wish.lessee === null ? '' : '?automatic_lessee=true';
    const { status, body } = await needs.baremetal('PATCH', `/v1/nodes/${found.uuid}${lease}`, {
      headers,
      body: patchOf(found, wish),
    });
    if (status === 200) return { ...outcome, result: 'updated' };
    const nothing = { ...outcome, added: {}, lessee: null };
    if (status !== 409 || left === 1) return { ...nothing, result: 'failed', reason: refusal(status, body) };
    await needs.sleep(pause);
    found = await reread(needs, found);
  }
  return { node_uuid: first.uuid, result: 'released', added: {}, lessee: null };
};

const one = async (needs: Needs, found: Node, options: Options): Promise<Outcome> => {
  const nothing = { node_uuid: found.uuid, added: {}, lessee: null };
  try {
    const server = await needs.servers.find(found.instance_uuid!);
    if (!server) return { ...nothing, result: 'server-not-found' };
    const host = server['OS-EXT-SRV-ATTR:hypervisor_hostname'] ?? found.uuid;
    if (host !== found.uuid && host !== found.name) {
      return { ...nothing, result: 'server-elsewhere', reason: `Nova has the instance on ${host}.` };
    }
    return await write(needs, found, toldBy(server, await needs.servers.flavors(), options.names), options);
  } catch (error) {
    // Who may not ask, may not ask for the others either.
    if (!isFault(error) || error.name === 'AccessDenied') throw error;
    return { ...nothing, result: 'failed', reason: error.message };
  }
};

const atOnce = 8;

/** Looks at every node with an instance, in the order of the list. */
export const backfill = async (needs: Needs, options: Options): Promise<Outcome[]> => {
  const all = await nodesOf(needs.baremetal);
  const outcomes: Outcome[] = [];
  for (let at = 0; at < all.length; at += atOnce) {
    const batch = all.slice(at, at + atOnce);
    outcomes.push(...(await Promise.all(batch.map(async (found) => one(needs, found, options)))));
  }
  return outcomes;
};
