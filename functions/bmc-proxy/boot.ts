/** What a machine boots from (redfish.md 4.1, 4.2, 5 rows 9-11, 18, 19). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import { isFault } from '../../layers/domain/fault.ts';
import { withBmc } from './bmc.ts';
import {
  currentMode,
  ensureOverride,
  findPlace,
  listedIn,
  nameOf,
  type Override,
  type Place,
  shownOf,
  type Variant,
  wholeOf,
} from './boot-override.ts';
import { done, type Call, type Parsed } from './call.ts';

/** Redfish's words for Ironic's boot devices, best first. */
const devices: Readonly<Record<Parsed<'boot.ensure'>['device'], readonly string[]>> = {
  pxe: ['Pxe'],
  disk: ['Hdd'],
  cdrom: ['Cd', 'UsbCd'],
  uefihttp: ['UefiHttp'],
  bios: ['BiosSetup'],
};
const persistences = { once: 'Once', continuous: 'Continuous' } as const;

/** Redfish's words for Ironic's boot modes. */
export const modes = { uefi: 'UEFI', bios: 'Legacy' } as const;

const chooseTarget = ({ device }: Parsed<'boot.ensure'>, place: Place, quirks: Quirks): string => {
  if (device === 'cdrom' && quirks.boot_cdrom_unsupported) {
    throw bmcFault(
      'BmcUnsupported',
      `This BMC boots its physical drive instead of virtual media. ${quirks.boot_cdrom_unsupported}`,
    );
  }
  const listed = listedIn(place, 'Target');
  const preferred = device === 'cdrom' && quirks.boot_cdrom ? [quirks.boot_cdrom, ...devices.cdrom] : devices[device];
  const target = listed.length === 0 ? devices[device][0] : preferred.find((name) => listed.includes(name));
  if (target) return target;
  throw bmcFault('BmcUnsupported', `The BMC cannot boot from ${device}, only from ${listed.join(', ')}.`);
};

const chooseMode = ({ mode }: Parsed<'boot.ensure'>, place: Place, quirks: Quirks): string | undefined => {
  const current = quirks.boot_mode_always ? currentMode(place) : undefined;
  const wanted = mode === 'keep' ? current : modes[mode];
  const listed = listedIn(place, 'Mode');
  if (!wanted || listed.length === 0 || listed.includes(wanted)) return wanted;
  if (mode === 'keep') return undefined;
  throw bmcFault('BmcUnsupported', `The BMC cannot boot in mode ${wanted}, only in ${listed.join(', ')}.`);
};

const wantedOverride = (params: Parsed<'boot.ensure'>, place: Place, quirks: Quirks): Override => {
  const mode = chooseMode(params, place, quirks);
  return {
    BootSourceOverrideTarget: chooseTarget(params, place, quirks),
    BootSourceOverrideEnabled: persistences[params.persistence],
    ...(mode && { BootSourceOverrideMode: mode }),
  };
};

const without = <K extends keyof Override>(override: Override, name: K) =>
  Object.fromEntries(Object.entries(override).filter(([key]) => key !== name)) as Omit<Override, K> & Override;

/**
 * What to try, one after another, each if the one before was rejected: without a mode that nobody asked for (older
 * Supermicro boards) or that the BMC does not even show (HPE iLO 5), then all there is, and for one boot only where a
 * permanent override is refused, as Ironic does.
 */
const variants = (wanted: Override, { mode }: Parsed<'boot.ensure'>, place: Place, quirks: Quirks): Variant[] => {
  const optional = mode === 'keep' || !place.active.BootSourceOverrideMode;
  const bare = optional && wanted.BootSourceOverrideMode ? [without(wanted, 'BootSourceOverrideMode')] : [];
  const base: Variant[] = [...[wanted, ...bare].map((override) => ({ override })), ...wholeOf(wanted, place, quirks)];
  const once = base.map(({ override, ...how }) => ({
    override: { ...override, BootSourceOverrideEnabled: 'Once' },
    ...how,
  }));
  return wanted.BootSourceOverrideEnabled === 'Continuous' ? [...base, ...once] : base;
};

/** `sent`: the BMC has got it, and did not refuse. A mode may not be shown at all. */
const holds = (place: Place, { override }: Variant, sent: boolean): boolean => {
  const shown = shownOf(place);
  const isSo = ([name, value]: [string, unknown]) =>
    shown[name] === value ||
    (name === 'BootSourceOverrideMode' && (shown[name] ?? null) === null) ||
    (sent && name === 'BootSourceOverrideEnabled' && value === 'Once' && shown[name] === 'Continuous');
  return Object.entries(override).every(isSo);
};

/** Done when the BMC shows the override, in the system or in its settings object. */
export const ensureBoot = async (call: Call<'boot.ensure'>) =>
  withBmc(call, async (bmc) => {
    const { quirks } = await bmc.quirks();
    const place = await findPlace(bmc);
    return ensureOverride(call, bmc, place, {
      options: variants(wantedOverride(call.params, place, quirks), call.params, place, quirks),
      isSo: holds,
      not: (_place, option) => `The BMC does not show the boot override ${nameOf(option)} yet.`,
    });
  });

/** What leads away from the virtual drive, best first: no override, else the disk, where there is no such thing. */
const waysOut = (place: Place, quirks: Quirks): Variant[] => {
  const listed = listedIn(place, 'Target');
  const offers = ({ BootSourceOverrideTarget: target }: Override) => listed.length === 0 || listed.includes(target);
  const overrides: Override[] = [
    { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' },
    { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' },
    { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Once' },
  ];
  const offered = overrides.filter(offers);
  const chosen = offered.length > 0 ? offered : overrides.slice(0, 1);
  return chosen.flatMap((override) => [{ override }, ...wholeOf(override, place, quirks)]);
};

const isVirtual = (target: string | null | undefined): boolean => devices.cdrom.includes(target ?? '');

/** Whether the next boot would be from the virtual drive, because somebody said so. */
const leadsToDrive = (place: Place): boolean => {
  const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = shownOf(place);
  return isVirtual(target) && enabled !== 'Disabled';
};

/**
 * Done when no boot override to the virtual drive is left: nothing is sent where there is none, as after a boot that
 * used up a Once, or where the BMC knows no overrides.
 */
export const clearBoot = async (call: Call<'boot.clear'>) =>
  withBmc(call, async (bmc) => {
    const { names, quirks } = await bmc.quirks();
    const place = await findPlace(bmc).catch((error: unknown) => {
      if (isFault(error) && error.name === 'BmcUnsupported') return undefined;
      throw error;
    });
    if (!place) return done<'boot.clear'>({ changed: false }, names);
    return ensureOverride(call, bmc, place, {
      options: waysOut(place, quirks),
      isSo: (now) => !leadsToDrive(now),
      not: () => 'The BMC still shows the boot override to the virtual drive.',
    });
  });
