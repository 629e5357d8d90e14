/** Reading nodes and what belongs to them. */
import type * as z from 'zod';

import type { GuestNetwork } from '../guest/network.ts';
import type { Candidate } from '../schedule/candidate.ts';
import type { CandidateQuery } from '../schedule/search.ts';
import type { Conversation } from './conversation.ts';
import { baremetalFault } from './faults.ts';
import { shown, type ShownConductor, type ShownMachine, type ShownNode } from './shown.ts';

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

const searchOf = (wanted: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new URLSearchParams(given).toString();
};

/** `marker`: UUID of the last node of the page before. */
type Span = { readonly limit: number; readonly marker?: string | undefined };

/** What says which nodes a list has, and what of them. */
type Listed<N> = {
  readonly schema: z.ZodType<{ readonly nodes: readonly N[]; readonly next?: string | null | undefined }>;
  readonly fields: string;
  readonly search: Readonly<Record<string, string | undefined>>;
};

/** Most nodes that the Bare Metal API gives at a time. */
const largestPage = 1000;

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

  /** An API may give less than it is asked for, though it has more. */
  const listPage = async <N extends { readonly uuid: string }>(
    { schema, fields, search }: Listed<N>,
    { limit, marker }: Span,
  ): Promise<N[]> => {
    const found: N[] = [];
    let after = marker;
    for (;;) {
      const wanted = { ...search, limit: String(limit - found.length), marker: after };
      const { nodes, next } = await get(`/v1/nodes?${fields}&${searchOf(wanted)}`, schema);
      found.push(...nodes);
      after = nodes.at(-1)?.uuid;
      if (found.length >= limit || (next ?? null) === null || after === undefined) return found;
    }
  };

  /** A page as `layers/schedule` asks for it. */
  const listCandidates = async ({ limit, marker, ...wanted }: CandidateQuery): Promise<readonly Candidate[]> => {
    const search = {
      ...(wanted.free && free),
      placement_class: wanted.placement_class,
      conductor_group: wanted.conductor_group,
      sort_dir: wanted.descending ? 'desc' : undefined,
    };
    return listPage({ ...shown.candidates, search }, { limit, marker });
  };

  /** A page of all machines, in the order in which they came. Throws BaremetalNotFound for a marker that is none. */
  const listMachines = async (span: Span): Promise<readonly ShownMachine[]> =>
    listPage({ ...shown.machines, search: {} }, span);

  /** Calls `see` with every machine: a request for each thousand of them. */
  const eachMachine = async (see: (machine: ShownMachine) => void): Promise<void> => {
    let marker: string | undefined;
    do {
      const page = await listMachines({ limit: largestPage, marker });
      page.forEach(see);
      marker = page.length < largestPage ? undefined : page.at(-1)!.uuid;
    } while (marker !== undefined);
  };

  /** Throws BaremetalNotFound. */
  const getMachine = async (node: string): Promise<ShownMachine> =>
    get(`${pathOf(node)}?${shown.machine.fields}`, shown.machine.schema);

  /** Whether nothing is done to its machine before a takeover has seen it (ADR 22). Throws BaremetalNotFound. */
  const awaitsTakeover = async (node: string): Promise<boolean> => {
    const { driver_internal_info: notes } = await get(`${pathOf(node)}?${shown.noted.fields}`, shown.noted.schema);
    return (notes.takeover?.state ?? 'completed') !== 'completed';
  };

  /** The sites that are responsible for machines. */
  const listConductors = async (): Promise<readonly ShownConductor[]> =>
    (await get(`/v1/conductors?${shown.conductors.fields}`, shown.conductors.schema)).conductors;

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

  return {
    getNode,
    nodeOfInstance,
    listCandidates,
    listMachines,
    eachMachine,
    getMachine,
    awaitsTakeover,
    listConductors,
    getCards,
    validate,
  };
};
