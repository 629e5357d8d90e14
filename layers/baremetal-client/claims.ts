/** Which instance has a node, and what the node is told of it (nova-driver.md 2, 3 and 5). */
import { isFree } from '../domain/free-nodes.ts';
import { type Conversation, never, repeatable } from './conversation.ts';
import { baremetalFault, isBaremetal } from './faults.ts';
import { nodeReads, pathOf } from './nodes.ts';
import { shown, type ShownNode } from './shown.ts';

type Operation = { readonly op: 'add' | 'remove'; readonly path: string; readonly value?: unknown };

/** Entries of instance_info to write, and names of those that are to go. */
export type InfoChange = { readonly add: Readonly<Record<string, unknown>>; readonly remove?: readonly string[] };

/** A name as a piece of a JSON patch's path (RFC 6901). */
const pieceOf = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What of the change is not so yet. */
const patchOf = ({ add, remove = [] }: InfoChange, info: Readonly<Record<string, unknown>>): Operation[] => [
  ...Object.entries(add)
    .filter(([name, value]) => !Object.hasOwn(info, name) || !isSame(info[name], value))
    .map(([name, value]) => ({ op: 'add' as const, path: `/instance_info/${pieceOf(name)}`, value })),
  ...remove
    .filter((name) => Object.hasOwn(info, name))
    .map((name) => ({ op: 'remove' as const, path: `/instance_info/${pieceOf(name)}` })),
];

const taken = (node: string, reason: string, cause?: unknown) =>
  baremetalFault('BaremetalTaken', `Node ${node} cannot be claimed: ${reason}.`, cause);

/** What the one write of a claim is refused with says that the node is somebody else's, or about to be. */
const asTaken = (node: string) => (error: unknown) => {
  const isOthers = isBaremetal(error, 'BaremetalLocked') || isBaremetal(error, 'BaremetalConflict');
  throw isOthers ? taken(node, 'somebody else was faster', error) : error;
};

const instanceOf = ({ instance_uuid: other }: Pick<ShownNode, 'instance_uuid'>): string =>
  other === null ? 'no instance' : `instance ${other}`;

export const claims = (conversation: Conversation) => {
  const { send, get, read, effect } = conversation;
  const { getNode, nodeOfInstance } = nodeReads(conversation);

  const patch = async (node: string, body: readonly Operation[]) => send({ method: 'PATCH', path: pathOf(node), body });

  /** The node, if this instance has it. Throws BaremetalConflict if it has another. */
  const alreadyOn = async (node: string, instance: string): Promise<ShownNode | undefined> => {
    const other = await nodeOfInstance(instance);
    if (other === undefined || other.uuid === node) return other;
    throw baremetalFault(
      'BaremetalConflict',
      `Instance ${instance} has node ${other.uuid} already, and wants ${node}.`,
    );
  };

  /**
   * Claims a node for an instance and returns it; it may have been claimed for it before. The one write is never made
   * twice. Throws BaremetalTaken (also for a node that is not free any more, and while it is locked): take another node.
   * BaremetalConflict: the instance has another node. Unavailable: it may have been claimed, so ask for the same again
   * before another is tried.
   */
  const claim = async (node: string, instance: string): Promise<ShownNode> => {
    const found = await getNode(node);
    if (found.instance_uuid === instance) return found;
    if (!isFree(found)) {
      throw taken(
        node,
        `it is ${found.provision_state}${found.maintenance ? ', in maintenance' : ''}, and has ${instanceOf(found)}`,
      );
    }
    const asked = { method: 'PATCH', path: pathOf(node) } as const;
    return effect({
      tries: never,
      observe: async () => alreadyOn(node, instance),
      act: async () => {
        const reply = await patch(node, [{ op: 'add', path: '/instance_uuid', value: instance }]).catch(asTaken(node));
        return read(asked, reply, shown.node.schema);
      },
    });
  };

  /**
   * Brings instance_info to what is wanted; what is so already is not written. Throws BaremetalTaken if the instance does
   * not have the node, BaremetalRefused for names and values that the API does not take.
   */
  const changeInstanceInfo = async (node: string, instance: string, change: InfoChange): Promise<void> => {
    const missing = async (): Promise<Operation[]> => {
      const stored = await get(`${pathOf(node)}?${shown.info.fields}`, shown.info.schema);
      if (stored.instance_uuid === instance) return patchOf(change, stored.instance_info);
      throw taken(node, `it has ${instanceOf(stored)}, not ${instance}`);
    };
    let wanted = await missing();
    if (wanted.length === 0) return;
    await effect({
      tries: repeatable,
      observe: async () => {
        wanted = await missing();
        return wanted.length === 0 ? true : undefined;
      },
      act: async () => {
        await patch(node, wanted);
        return true;
      },
    });
  };

  /** Whether the instance does not have the node; one that is gone has none. */
  const isReleased = async (node: string, instance: string): Promise<boolean> => {
    try {
      return (await getNode(node)).instance_uuid !== instance;
    } catch (error) {
      if (isBaremetal(error, 'BaremetalNotFound')) return true;
      throw error;
    }
  };

  /**
   * Takes the instance off a node that was not deployed, with what the node was told of it. Nothing is done to a node
   * that does not have it. VIFs go first (nova-driver.md 5). Throws BaremetalConflict while the node is on its way.
   */
  const release = async (node: string, instance: string): Promise<void> => {
    if (await isReleased(node, instance)) return;
    await effect({
      tries: repeatable,
      observe: async () => ((await isReleased(node, instance)) ? true : undefined),
      act: async () => {
        await patch(node, [
          { op: 'add', path: '/instance_info', value: {} },
          { op: 'remove', path: '/instance_uuid' },
        ]);
        return true;
      },
    });
  };

  return { claim, changeInstanceInfo, release };
};
