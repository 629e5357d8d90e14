/** VIFs of nodes (nova-driver.md 3 and 10). With network interface noop nodes take them and remember none. */
import { type Conversation, repeatable } from './conversation.ts';
import { isBaremetal } from './faults.ts';
import { pathOf } from './nodes.ts';
import { shown } from './shown.ts';

export const vifWrites = ({ send, get, effect }: Conversation) => {
  /** The VIFs that are attached to a node. Throws BaremetalNotFound. */
  const listVifs = async (node: string): Promise<readonly string[]> => {
    const { vifs } = await get(pathOf(node, 'vifs'), shown.vifs.schema);
    return vifs.map(({ id }) => id);
  };

  const isAttached = async (node: string, vif: string): Promise<boolean> => {
    try {
      return (await listVifs(node)).includes(vif);
    } catch (error) {
      if (isBaremetal(error, 'BaremetalNotFound')) return false;
      throw error;
    }
  };

  /** Attaches a VIF to a free card of the node; one that is attached already stays. Throws BaremetalRefused: none is free. */
  const attachVif = async (node: string, vif: string): Promise<void> => {
    await effect({
      tries: repeatable,
      observe: async () => ((await isAttached(node, vif)) ? true : undefined),
      act: async () => {
        await send({ method: 'POST', path: pathOf(node, 'vifs'), body: { id: vif } });
        return true;
      },
    });
  };

  /** Detaches a VIF; one that is not attached, and one of a node that is gone, is detached. */
  const detachVif = async (node: string, vif: string): Promise<void> => {
    await effect({
      tries: repeatable,
      observe: async () => ((await isAttached(node, vif)) ? undefined : true),
      act: async () => {
        await send({ method: 'DELETE', path: pathOf(node, 'vifs', vif) });
        return true;
      },
    });
  };

  return { listVifs, attachVif, detachVif };
};
