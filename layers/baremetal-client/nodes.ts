/** Reading nodes and what belongs to them. */
import type { GuestNetwork } from '../guest/network.ts';
import type { Candidate } from '../schedule/candidate.ts';
import type { CandidateQuery } from '../schedule/search.ts';
import type { Conversation } from './conversation.ts';
import { baremetalFault } from './faults.ts';
import { shown, type ShownNode } from './shown.ts';

/** Pieces that lead elsewhere, even when they are escaped: up, nowhere, to the list. */
const astray = new Set(['', '.', '..']);

/** The path of a node, or of what is below it. Throws BaremetalNotFound for names that would make another path of it. */
export const pathOf = (node: string, ...below: readonly string[]): string => {
  const pieces = [node, ...below];
  const wrong = pieces.find((piece) => astray.has(piece));
  if (wrong !== undefined) throw baremetalFault('BaremetalNotFound', `Nothing can have the name "${wrong}".`);
  return ['/v1/nodes', ...pieces.map(encodeURIComponent)].join('/');
};

/** The three that together ask for free nodes. */
const free = { provision_state: 'available', associated: 'false', maintenance: 'false' };

const queryOf = (query: CandidateQuery): string => {
  const wanted = {
    ...(query.free && free),
    placement_class: query.placement_class,
    conductor_group: query.conductor_group,
    limit: String(query.limit),
    marker: query.marker,
    sort_dir: query.descending ? 'desc' : undefined,
  };
  const given = Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${shown.candidates.fields}&${new URLSearchParams(given).toString()}`;
};

/** What has to be true of a node that is to be deployed (nova-driver.md 3). */
const needed = ['deploy', 'power', 'storage'];

export type Obstacle = { readonly interface: string; readonly reason: string };

export const nodeReads = ({ get }: Conversation) => {
  /** Throws BaremetalNotFound. */
  const getNode = async (node: string): Promise<ShownNode> =>
    get(`${pathOf(node)}?${shown.node.fields}`, shown.node.schema);

  /** The node that has this instance; undefined: none has. */
  const nodeOfInstance = async (instance: string): Promise<ShownNode | undefined> => {
    const query = `instance_uuid=${encodeURIComponent(instance)}&${shown.nodes.fields}`;
    const { nodes } = await get(`/v1/nodes?${query}`, shown.nodes.schema);
    return nodes[0];
  };

  /** A page as `layers/schedule` asks for it. An API may give less than it is asked for, though it has more. */
  const listCandidates = async (query: CandidateQuery): Promise<readonly Candidate[]> => {
    const found: Candidate[] = [];
    let { marker } = query;
    for (;;) {
      const wanted = { ...query, limit: query.limit - found.length, marker };
      const { nodes, next } = await get(`/v1/nodes?${queryOf(wanted)}`, shown.candidates.schema);
      found.push(...nodes);
      marker = nodes.at(-1)?.uuid;
      if (found.length >= query.limit || (next ?? null) === null || marker === undefined) return found;
    }
  };

  /** The cards of a machine, with the VIF that is attached to each. Throws BaremetalNotFound. */
  const getCards = async (node: string): Promise<Pick<GuestNetwork, 'cards' | 'groups'>> => {
    const [{ ports }, { portgroups }] = await Promise.all([
      get(`${pathOf(node, 'ports')}?${shown.ports.fields}`, shown.ports.schema),
      get(`${pathOf(node, 'portgroups')}?${shown.portgroups.fields}`, shown.portgroups.schema),
    ]);
    return { cards: ports, groups: portgroups };
  };

  /** What keeps the node from being deployed; nothing: it can be. Throws BaremetalNotFound. */
  const validate = async (node: string): Promise<readonly Obstacle[]> => {
    const validation = await get(pathOf(node, 'validate'), shown.validation.schema);
    return needed
      .filter((name) => validation[name]?.result !== true)
      .map((name) => ({ interface: name, reason: validation[name]?.reason ?? 'no reason is given' }));
  };

  return { getNode, nodeOfInstance, listCandidates, getCards, validate };
};
