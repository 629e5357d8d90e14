/** What a node is asked to become (nova-driver.md 3, 6, 8, 9). Whether it has become it, its events tell. */
import { states } from '../domain/baremetal/states.ts';
import { type ProvisionState, provisionStates } from '../domain/baremetal/transitions.ts';
import { type Conversation, repeatable } from './conversation.ts';
import { baremetalFault, isBaremetal } from './faults.ts';
import { nodeReads, pathOf } from './nodes.ts';
import type { ShownNode } from './shown.ts';

type Row = {
  /** States that say that it was asked for before, and may have ended. In any other state it is asked for. */
  readonly accepted: readonly ProvisionState[];
  /** States in which there is nothing of the instance on the machine. */
  readonly needless?: readonly ProvisionState[];
  /** An operator may forbid it by `protected`. */
  readonly unprotected?: true;
};

/** The states of nodes whose servers are in one of these. */
const of = (...servers: readonly (typeof states)[ProvisionState]['server'][]): ProvisionState[] =>
  provisionStates.filter((state) => servers.includes(states[state].server));

/** Those of nodes that have no server, nor are on their way to one. */
const unserved = of(undefined).filter((state) => states[state].target !== 'active');

const targets: { readonly [target in ProvisionWish['target']]: Row } = {
  // A deploy that failed is not begun anew by a late repetition: servers are deployed to nodes that were available.
  active: { accepted: [...of('built', 'up'), 'deploy failed'] },
  rebuild: { accepted: of('built'), unprotected: true },
  deleted: { accepted: of('leaving', 'gone'), needless: unserved, unprotected: true },
  rescue: { accepted: of('rescuing', 'rescued') },
  unrescue: { accepted: of('unrescuing', 'up') },
};

/**
 * `configdrive`: base64(gzip(image)). The largest that a server can have (all of its metadata, user data and files as long
 * as they may be) is 460 kB, so that it always has room in the request.
 */
export type ProvisionWish =
  | { readonly target: 'active' | 'rebuild'; readonly configdrive?: string }
  | { readonly target: 'deleted' | 'unrescue' }
  | { readonly target: 'rescue'; readonly rescue_password: string };

/**
 * `accepted`: it was asked for, now or before. `needless`: the machine has nothing of the instance, or the node is gone:
 * it only has to be released.
 */
export type Provisioned = 'accepted' | 'needless';

const secretsOf = (wish: ProvisionWish): string[] => {
  if ('rescue_password' in wish) return [wish.rescue_password];
  return 'configdrive' in wish && wish.configdrive ? [wish.configdrive] : [];
};

/** What a node that is as it is shows of a wish; undefined: it is to be asked for. */
const judge = (node: ShownNode, instance: string, { target }: ProvisionWish): Provisioned | undefined => {
  const { accepted, needless = [], unprotected } = targets[target];
  const { uuid, provision_state: state } = node;
  if (node.instance_uuid !== instance) {
    if (target === 'deleted') return 'needless';
    throw baremetalFault(
      'BaremetalTaken',
      `Node ${uuid} is not asked for ${target}: it does not have instance ${instance}.`,
    );
  }
  if (accepted.includes(state)) return 'accepted';
  if (needless.includes(state)) return 'needless';
  if (!unprotected || !node.protected) return undefined;
  throw baremetalFault('BaremetalRefused', `Node ${uuid} is protected: an operator does not let it be ${target}.`);
};

export const provisioning = (conversation: Conversation) => {
  const { send, effect } = conversation;
  const { getNode } = nodeReads(conversation);

  const observe = async (node: string, instance: string, wish: ProvisionWish): Promise<Provisioned | undefined> => {
    try {
      return judge(await getNode(node), instance, wish);
    } catch (error) {
      if (wish.target === 'deleted' && isBaremetal(error, 'BaremetalNotFound')) return 'needless';
      throw error;
    }
  };

  /**
   * Asks a node that has the instance for something, unless it was asked before. No other node is asked. Throws
   * BaremetalTaken if the node does not have the instance (but to delete it), BaremetalRefused, BaremetalConflict for a
   * node whose state or whose operator does not let it be done.
   */
  const provision = async (node: string, instance: string, wish: ProvisionWish): Promise<Provisioned> =>
    (await observe(node, instance, wish)) ??
    effect<Provisioned>({
      tries: repeatable,
      observe: async () => observe(node, instance, wish),
      act: async () => {
        const path = pathOf(node, 'states', 'provision');
        await send({ method: 'PUT', path, body: wish, secrets: secretsOf(wish) });
        return 'accepted';
      },
    });

  return { provision };
};
