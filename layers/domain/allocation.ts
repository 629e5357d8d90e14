/** The allocation as a table (ironic-api.md 8): a wish for a node, and which node it got; and what nodes fit one. */
import * as z from 'zod';

import { isFenced } from './baremetal/takeover.ts';
import { fields, type RecordOf } from './fields.ts';
import type { Filters } from './filters.ts';
import { isFree } from './free-nodes.ts';
import { isForeign } from './foreign-types.ts';
import type { Node } from './node.ts';
import { linksTo } from './projection.ts';
import { maxTraits, trait } from './traits.ts';
import { isUuid, json, logicalName, text, timestamp, uuid, word } from './values.ts';

/** Where an allocation can be. */
const allocationStates = ['allocating', 'active', 'error'] as const;

export const allocation = fields({
  uuid: { access: 'create', schema: uuid, required: true, doc: 'UUID; the instance_uuid of the node it gets.' },
  name: {
    access: 'update',
    // A path with a UUID means the UUID.
    schema: logicalName.refine((name) => !isUuid(name), 'must not be a UUID'),
    unique: 'allocation_name',
    doc: 'Logical name. A node of this name is tried first.',
  },
  state: {
    access: 'read',
    schema: word(allocationStates),
    default: 'allocating',
    filter: true,
    doc: 'allocating, active (it has a node), or error.',
  },
  last_error: { access: 'read', schema: z.string(), doc: 'Why it got no node, and what to do.' },
  node_uuid: { access: 'read', schema: uuid, doc: 'The node it got.' },
  resource_class: {
    access: 'create',
    schema: text(80),
    filter: { rank: 2 },
    index: true,
    doc: 'Resource class of the node; needed unless `node` is given.',
  },
  traits: { access: 'create', schema: z.array(trait).max(maxTraits), default: [], doc: 'Traits the node must have.' },
  candidate_nodes: {
    access: 'create',
    schema: z.array(z.string()).max(1000),
    default: [],
    doc: 'The only nodes it may get, by UUID or name; stored as UUIDs. Empty: any.',
  },
  extra: { access: 'update', schema: json, default: {}, doc: 'Free for the operator.' },
  owner: {
    access: 'create',
    since: 60,
    schema: text(255),
    filter: { rank: 1 },
    index: true,
    doc: "Project it is for: the node's owner or lessee. Callers of a project: that one.",
  },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: linksTo('', 'Self and bookmark.'),
});

export type Allocation = RecordOf<typeof allocation>;

/** Filters of its lists that are no field. */
export const allocationFilters: Filters<Allocation> = { node: { names: 'node' } };

type Candidate = Readonly<Omit<Node, 'instance_info'>>;

/** Whether a node could be given to somebody, if it is of the right kind. */
const isUsable = (node: Candidate): boolean =>
  isFree(node) && !isForeign(node) && !isFenced(node) && node.power_state !== null && node.power_state !== 'error';

type Criterion = {
  /** Says it of nodes, in the plural; undefined: this allocation does not ask for it. */
  says(allocation: Allocation): string | undefined;
  fits(node: Candidate, allocation: Allocation): boolean;
};

/** What a node must be, in the order in which people look for the reason why none was found. */
const criteria: readonly Criterion[] = [
  {
    says: () => 'available, with a known power state, without an instance and not in maintenance',
    fits: isUsable,
  },
  {
    says: ({ resource_class }) => `of resource class "${resource_class}"`,
    fits: (node, { resource_class }) => node.resource_class === resource_class,
  },
  {
    says: ({ owner }) => (owner === null ? undefined : `owned or leased by project ${owner}`),
    fits: (node, { owner }) => owner === null || node.owner === owner || node.lessee === owner,
  },
  {
    says: ({ traits }) => (traits.length === 0 ? undefined : `with the traits ${traits.join(', ')}`),
    fits: (node, { traits }) => traits.every((name) => node.traits.includes(name)),
  },
];

/** How many of the first criteria a node meets in a row. */
const met = (node: Candidate, allocation: Allocation): number => {
  const missed = criteria.findIndex(({ fits }) => !fits(node, allocation));
  return missed === -1 ? criteria.length : missed;
};

/** Whether an allocation may get this node. */
export const fits = (node: Candidate, allocation: Allocation): boolean => met(node, allocation) === criteria.length;

/** Counts how far the nodes come that are looked at: `see` one after the other, then let it `tell`. */
export const createTally = (allocation: Allocation) => {
  const counts = criteria.map(() => 0);
  let looked = 0;
  return {
    /** Whether the node fits. */
    see: (node: Candidate): boolean => {
      const passed = met(node, allocation);
      looked += 1;
      for (let at = 0; at < passed; at += 1) counts[at]! += 1;
      return passed === criteria.length;
    },
    /** The nodes that met each criterion and all before it, as a text. */
    tell: (): string => {
      const rows = criteria.map(({ says }, at) => ({ text: says(allocation), count: counts[at]! }));
      const asked = rows.filter(({ text: row }) => row !== undefined);
      const which = allocation.candidate_nodes.length > 0 ? 'named' : 'free';
      return `${looked} ${which} ${looked === 1 ? 'node was' : 'nodes were'} looked at; ${asked.map(({ text: row, count }) => `${count} ${row}`).join('; of these ')}`;
    },
  };
};

/** What a node must be that an allocation is made for afterwards; `says` what is wrong with this one. */
export const criteriaOfBackfill: readonly {
  fits(node: Candidate, allocation: Allocation): boolean;
  says(node: Candidate, allocation: Allocation): string;
}[] = [
  {
    fits: ({ provision_state }) => provision_state === 'active',
    says: ({ provision_state }) => `it must be active, but is ${provision_state}`,
  },
  {
    fits: (node) => node.allocation_uuid === null,
    says: (node) => `it has allocation ${node.allocation_uuid}`,
  },
  {
    fits: (node, { uuid: id }) => node.instance_uuid === null || node.instance_uuid === id,
    says: (node) => `it has instance_uuid ${node.instance_uuid}, which must be the UUID of the allocation`,
  },
  {
    fits: (node, { resource_class }) => node.resource_class === resource_class,
    says: (node, { resource_class }) =>
      `its resource class is ${node.resource_class ?? 'not set'}, not ${resource_class}`,
  },
  {
    fits: (node, { traits }) => traits.every((name) => node.traits.includes(name)),
    says: (_node, { traits }) => `it does not have all the traits ${traits.join(', ')}`,
  },
  {
    fits: ({ uuid: id }, { candidate_nodes: named }) => named.length === 0 || named.includes(id),
    says: () => 'it is not among candidate_nodes',
  },
];

/** What a node gets from the allocation that takes it. */
export const taken = ({ uuid: id, traits }: Allocation, { instance_info }: Pick<Node, 'instance_info'>) => ({
  instance_uuid: id,
  allocation_uuid: id,
  instance_info: { ...instance_info, traits },
});

/** What it loses with its allocation. */
export const released = ({ instance_info }: Pick<Node, 'instance_info'>) => {
  const { traits: _traits, ...rest } = instance_info;
  return { instance_uuid: null, allocation_uuid: null, instance_info: rest };
};
