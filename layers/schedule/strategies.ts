/** Who of the nodes that fit comes first: a strategy each, chosen by the setting scheduler_strategy. */
import type { Chance } from '../platform/platform.ts';
import { sizeOf, type Candidate } from './candidate.ts';

export type Strategy = {
  readonly doc: string;
  /** So many that fit are enough to choose from; the more, the more is read. */
  readonly enough: number;
  /** The nodes in the order in which they are to be tried; all of them fit. */
  order(nodes: readonly Candidate[], chance: Chance): Candidate[];
};

const shuffle = (nodes: readonly Candidate[], { number }: Chance): Candidate[] =>
  nodes
    .map((node) => ({ node, key: number() }))
    .sort((a, b) => a.key - b.key)
    .map(({ node }) => node);

/** By memory, then disk, then cores. */
const bySize = (a: Candidate, b: Candidate): number => {
  const [one, other] = [sizeOf(a), sizeOf(b)];
  return one.memory_mb - other.memory_mb || one.local_gb - other.local_gb || one.cpus - other.cpus;
};

export const strategies = {
  spread: {
    doc: 'By chance, so that servers that are created at once do not all want the same node.',
    enough: 50,
    order: shuffle,
  },
  tightest: {
    doc: 'The smallest first, by memory, disk and cores, so that large machines stay free for who needs one; equal ones by chance.',
    enough: 200,
    order: (nodes, chance) => shuffle(nodes, chance).sort(bySize),
  },
} as const satisfies { readonly [name: string]: Strategy };

export type StrategyName = keyof typeof strategies;
