/**
 * ReadSettings of verify, and what a step has changed: BIOS settings, firmware and secure boot, as far as the BMC tells them. They are good to know
 * and nothing depends on them, so a BMC that cannot tell them is managed all the same.
 */
import { isFault } from '../../../layers/domain/fault.ts';
import { keep } from '../../../layers/domain/notes.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import { keepBios, keepFirmware } from '../../../layers/store/machine-settings.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { notRead } from './history.ts';
import { done, type Phase, type PhaseContext } from './phase.ts';

/** The BMC cannot be asked at the moment: worth another try of the phase. */
const passing = ['Pending', 'BmcUnreachable', 'BmcTimeout', 'BmcBusy', 'BmcSessionLimit'];

/** The event of what could not be read; none for what the BMC does not have. Throws what may pass by itself. */
const attempt = async (context: PhaseContext, what: string, read: () => Promise<void>): Promise<NodeEvent[]> => {
  try {
    await read();
    return [];
  } catch (error) {
    const told = isFault(error) && error.name.startsWith('Bmc') && !passing.includes(error.name);
    if (!told) throw error;
    return error.name === 'BmcUnsupported' ? [] : [notRead(context.about, what, error.message)];
  }
};

const readBios = async ({ node, hardware, platform }: PhaseContext): Promise<void> => {
  const seen = await hardware.ask('bios.get', {});
  // Fake hardware keeps what it was given.
  if (seen) await keepBios(platform, node, seen.settings);
};

const readFirmware = async ({ node, hardware, platform }: PhaseContext): Promise<void> => {
  const seen = await hardware.ask('firmware.get', {});
  await keepFirmware(platform, node, seen?.components ?? []);
};

const hasBios = ({ node }: PhaseContext) => node.bios_interface !== 'no-bios';
const hasFirmware = ({ node }: PhaseContext) => node.firmware_interface !== 'no-firmware';

/** Reads the BIOS settings anew. The events of what could not be read. Throws what may pass by itself. */
export const refreshBios = async (context: PhaseContext): Promise<NodeEvent[]> =>
  hasBios(context) ? attempt(context, 'BIOS settings', async () => readBios(context)) : [];

type Found = { readonly secure_boot?: boolean | null; readonly removable?: boolean | undefined };

/** Whether there is a drive for the medium of agents decides how they get their token (workflows/owners/node/agent-medium.ts). */
const settingsOf = (node: StoredNode, { removable, ...rest }: Found): Partial<StoredNode> => ({
  ...rest,
  ...(removable !== undefined && keep(node, { removable_media: removable })),
});

export const readSettings: Phase = {
  run: async (context) => {
    const found: { -readonly [K in keyof Found]: Found[K] } = {};
    const events = [
      ...(await refreshBios(context)),
      ...(hasFirmware(context) ? await attempt(context, 'Firmware versions', async () => readFirmware(context)) : []),
      ...(await attempt(context, 'Secure boot', async () => {
        const seen = await context.hardware.ask('secure_boot.get', {});
        if (seen) found.secure_boot = seen.enabled;
      })),
      ...(await attempt(context, 'Virtual media', async () => {
        found.removable = (await context.hardware.ask('vmedia.get', {}))?.removable;
      })),
    ];
    return done((node) => settingsOf(node, found), { events });
  },
};
