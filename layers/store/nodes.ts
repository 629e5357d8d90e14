/** Nodes as they are stored. */
import type { Node, NodeKeeping } from '../domain/node.ts';
import type { Kept } from './kinds/kind.ts';

export type StoredNode = Node & NodeKeeping & Kept;

/** A node as a list finds it. It may be shared with others who read it, so it is never changed. */
export type ListedNode = Readonly<Omit<StoredNode, 'instance_info'>>;
