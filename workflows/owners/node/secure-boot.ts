/**
 * Secure boot of an instance that asks for it: on before its first start, off again when it is gone or the next one
 * does not ask (ironic-deploy.md 2). It is off, too, while a ramdisk is booted in its place, which may not be signed. What
 * a machine had before its first instance is left to its operator.
 */
import { wantsSecureBoot } from '../../../layers/domain/capabilities.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { keep, note } from '../../../layers/domain/notes.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { done, type Phase, type PhaseContext } from './phase.ts';

type Change = (node: StoredNode) => Partial<StoredNode>;

/** What the node says afterwards is what its BMC says. */
const ensure = async ({ hardware }: PhaseContext, enabled: boolean): Promise<Change> => {
  await hardware.ask('secure_boot.ensure', { enabled });
  const seen = await hardware.ask('secure_boot.get', {});
  return (node) => ({ secure_boot: seen ? seen.enabled : enabled, ...keep(node, { secure_boot_by_deploy: enabled }) });
};

/** Whether a deploy has switched it on, or was about to. */
const isOurs = (node: StoredNode): boolean => note(node, 'secure_boot_by_deploy') ?? false;

const asPhase = (phase: Phase, change: (context: PhaseContext) => Promise<Change | undefined>): Phase => ({
  ...phase,
  run: async (context) => {
    const outcome = await phase.run(context);
    const more = await change(context);
    if (outcome.is === 'wait' || more === undefined) return outcome;
    const both: Change = (node) => {
      const changed = outcome.change?.(node) ?? {};
      return { ...changed, ...more({ ...node, ...changed }) };
    };
    return done(both, outcome.more);
  },
});

/**
 * The phase, and then secure boot is as the instance asks; left as it is where neither it nor the one before asked. Boot
 * mode uefi has to be set by then.
 */
export const withSecureBoot = (phase: Phase): Phase =>
  asPhase(phase, async (context) => {
    const wanted = wantsSecureBoot(context.node);
    return wanted || isOurs(context.node) ? ensure(context, wanted) : undefined;
  });

/** The phase, and then secure boot is off if the instance has it on. */
export const withoutSecureBoot = (phase: Phase): Phase =>
  asPhase(phase, async (context) => {
    const { node } = context;
    return wantsSecureBoot(node) || isOurs(node) ? ensure(context, false) : undefined;
  });

/** The phase, and then secure boot is off if an earlier deploy has switched it on: this instance has not been here yet. */
export const withoutFormerSecureBoot = (phase: Phase): Phase =>
  asPhase(phase, async (context) => (isOurs(context.node) ? ensure(context, false) : undefined));

/** Throws Invalid for a BMC that cannot do it, before anything is written to a disk. */
export const requireSecureBoot = async ({ hardware, node }: PhaseContext): Promise<void> => {
  if (!wantsSecureBoot(node)) return;
  const seen = await hardware.ask('secure_boot.get', {});
  if (!seen || seen.enabled !== null) return;
  throw Invalid(
    'instance_info.capabilities.secure_boot is true, but the BMC tells of no secure boot (SecureBootEnable). Leave it out, or choose another machine.',
  );
};
