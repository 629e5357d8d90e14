/** UEFI secure boot (redfish.md 4.1). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import { secureBoot } from '../../layers/redfish-client/parts.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { readOptional, readRequired } from './resource.ts';
import { ensureSetting } from './setting.ts';

/** What the BMC says of secure boot, and where it is set: Dell iDRAC has a settings object for it. */
const read = async (bmc: Bmc) => {
  const { body } = await bmc.system();
  const active = await readRequired(bmc, body.SecureBoot, secureBoot, 'secure boot');
  const settings = await readOptional(bmc, active.body['@Redfish.Settings']?.SettingsObject, secureBoot);
  return { active, at: settings ?? active, mode: body.Boot?.BootSourceOverrideMode };
};

/** null: the BMC has no secure boot, or does not say. */
export const getSecureBoot = async (call: Call<'secure_boot.get'>) =>
  withBmc(call, async (bmc) => {
    const found = await readOptional(bmc, (await bmc.system()).body.SecureBoot, secureBoot);
    return done<'secure_boot.get'>({ enabled: found?.body.SecureBootEnable ?? null });
  });

const words: Readonly<Record<string, boolean>> = { Enabled: true, Disabled: false };

/** Done when the BMC shows the setting, or has taken it for the next start. Throws BmcUnsupported, BmcRejected. */
export const ensureSecureBoot = async (call: Call<'secure_boot.ensure'>) => {
  const { enabled } = call.params;
  return withBmc(call, async (bmc) => {
    let found: Awaited<ReturnType<typeof read>>;
    return ensureSetting(call, bmc, {
      what: `secure boot ${enabled ? 'on' : 'off'}`,
      stands: async () => {
        found = await read(bmc);
        const { active, at } = found;
        if ((at.body.SecureBootEnable ?? active.body.SecureBootEnable) !== enabled) return 'other';
        const running = words[active.body.SecureBootCurrentBoot ?? ''] ?? active.body.SecureBootEnable;
        return running === enabled ? 'current' : 'pending';
      },
      check: () => {
        if (!enabled || found.mode !== 'Legacy') return;
        throw bmcFault('BmcRejected', 'Secure boot needs boot mode uefi, and the machine is set to bios.');
      },
      send: async () => bmc.redfish.patch(found.at.path, { SecureBootEnable: enabled }, found.at.etag),
    });
  });
};
