/** Power of a machine, and what it is interrupted by (nova-driver.md 7). */
import { type Conversation, once, repeatable, type Tries } from './conversation.ts';
import { nodeReads, pathOf } from './nodes.ts';

type Row = { readonly becomes: 'power on' | 'power off'; readonly tries: Tries };

/**
 * What a machine becomes by what it is asked for. One that was restarted is not restarted once more because nobody heard
 * of it.
 */
export const powerTargets = {
  'power on': { becomes: 'power on', tries: repeatable },
  'power off': { becomes: 'power off', tries: repeatable },
  'soft power off': { becomes: 'power off', tries: repeatable },
  rebooting: { becomes: 'power on', tries: once },
  'soft rebooting': { becomes: 'power on', tries: once },
} as const satisfies { readonly [target: string]: Row };

export type PowerWish = {
  readonly target: keyof typeof powerTargets;
  /** Seconds, after which the machine gives up; absent: the setting of the service. */
  readonly timeout?: number;
};

export const powering = (conversation: Conversation) => {
  const { send, effect } = conversation;
  const { getNode } = nodeReads(conversation);

  /**
   * Asks for a power state. It is there when `target_power_state` of the node is null, unless that failed: look at
   * `power_state`. A node that is on its way there for another request counts as asked. Throws BaremetalRefused for what
   * the machine cannot do, such as something soft.
   */
  const setPower = async (node: string, { target, timeout }: PowerWish): Promise<void> => {
    const { becomes, tries } = powerTargets[target];
    await effect({
      tries,
      observe: async () => ((await getNode(node)).target_power_state === becomes ? true : undefined),
      act: async () => {
        const body = { target, ...(timeout !== undefined && { timeout }) };
        await send({ method: 'PUT', path: pathOf(node, 'states', 'power'), body });
        return true;
      },
    });
  };

  /** Makes the operating system write a crash dump (an NMI). Throws Unavailable if it may have been done: not twice. */
  const injectNmi = async (node: string): Promise<void> => {
    await effect({
      tries: once,
      observe: async () => undefined,
      act: async () => {
        await send({ method: 'PUT', path: pathOf(node, 'management', 'inject_nmi'), body: {} });
        return true;
      },
    });
  };

  return { setPower, injectNmi };
};
