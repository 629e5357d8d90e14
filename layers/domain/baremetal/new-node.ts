/** The first form of a node. */
import { defaults } from '../fields.ts';
import { defaultInterfaces } from '../hardware-types.ts';
import { node as nodeFields, type Node, type NodeKeeping } from '../node.ts';

type Stored = Node & NodeKeeping;

/** What a node has besides its fields, as it begins. */
export const firstKeeping = {
  generation: 0,
  run: null,
  run_workflow: null,
  agent_token_sha256: null,
  phase: null,
  vifs: null,
} as const;

/** What nobody can know of a node but who makes it. */
type Given = Partial<Stored> & Pick<Stored, 'uuid' | 'driver' | 'created_at' | 'position'>;

/**
 * A node as it is stored when it is enrolled, which nothing has worked on yet: the defaults of its fields, the first
 * implementation of each interface of its driver, then what is given. Throws Invalid (400) for an unknown driver.
 */
export const newNode = (given: Given): Stored =>
  ({
    ...defaults(nodeFields),
    ...defaultInterfaces(given.driver),
    provision_state: 'enroll',
    revision: 1,
    ...firstKeeping,
    ...given,
  }) as Stored;
