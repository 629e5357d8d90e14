/** Settings that a machine may go by from its next start on only: boot mode, secure boot, BIOS. */
import type { Accepted } from '../../layers/redfish-client/client.ts';
import type { Bmc } from './bmc.ts';
import type { Call } from './call.ts';
import { ageOf, ensure, maySend } from './ensure.ts';

/** `pending`: the BMC shows that the next start brings it. */
export type Standing = 'current' | 'pending' | 'other';

export type Setting = {
  /** Names it in the ledger and in messages; never its value if that could be a secret. */
  readonly what: string;
  stands(): Promise<Standing>;
  /** The machine shows nothing of it, ever: what the BMC has taken counts at once. */
  readonly unseen?: true;
  /** Throws, before anything is recorded, what the BMC cannot do. */
  check?(): void;
  send(): Promise<Accepted>;
};

/** A setting that was accepted may take so long to show. */
const lagMs = 15_000;

/**
 * Done when the BMC shows the setting, or has taken it and shows nothing of it: Dell iDRAC makes a job of it that the
 * next start runs, and nothing but the start itself could prove more.
 */
export const ensureSetting = async (
  call: Call<'mode.ensure' | 'secure_boot.ensure' | 'bios.ensure' | 'bios.reset'>,
  bmc: Bmc,
  { what, unseen, stands, check, send }: Setting,
) => {
  const { names } = await bmc.quirks();
  let taken = false;
  return ensure(call, {
    observe: async (entry) => {
      const standing = await stands();
      if (standing !== 'other') return { so: { reboot_needed: standing === 'pending' } };
      const accepted = taken || Boolean(entry?.monitor);
      const settled = entry?.state === 'done' || (accepted && (unseen || (ageOf(call, entry) ?? 0) >= lagMs));
      return settled ? { so: { reboot_needed: true } } : { not: `The BMC does not show ${what} yet.` };
    },
    next: (entry) => {
      if (!maySend(call, entry, lagMs)) return undefined;
      check?.();
      const deliver = async () => {
        const accepted = await send();
        taken = true;
        return accepted;
      };
      return { what, repeatable: true, send: deliver };
    },
    task: bmc.redfish.task,
    quirks: async () => names,
  });
};
