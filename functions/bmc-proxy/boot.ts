/** The boot override (redfish.md 4.1, 4.2, 5 rows 9-11, 18, 19). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import { systemSettings, type ComputerSystem } from '../../layers/redfish-client/resources.ts';
import { withBmc, type Bmc } from './bmc.ts';
import type { Call, Parsed } from './call.ts';
import { ensure, maySend, type Deed } from './ensure.ts';
import { readOptional } from './resource.ts';

type Boot = NonNullable<ComputerSystem['Boot']>;

/** The three fields, each with what it shall be. */
type Override = {
  readonly BootSourceOverrideTarget: string;
  readonly BootSourceOverrideEnabled: string;
  readonly BootSourceOverrideMode?: string;
};

/** Where boot settings are written, what is there, and what the system itself shows. */
export type Place = {
  readonly at: Resource<{ Boot?: Boot | null | undefined }>;
  readonly boot: Boot;
  readonly active: Boot;
};

/** Redfish's words for Ironic's boot devices, best first. */
const devices: Readonly<Record<Parsed<'boot.ensure'>['device'], readonly string[]>> = {
  pxe: ['Pxe'],
  disk: ['Hdd'],
  cdrom: ['Cd', 'UsbCd'],
  uefihttp: ['UefiHttp'],
  bios: ['BiosSetup'],
};
const persistences = { once: 'Once', continuous: 'Continuous' } as const;
export const modes = { uefi: 'UEFI', bios: 'Legacy' } as const;

/** A setting that was accepted may take so long to show. */
const lagMs = 15_000;

/**
 * Nokia, Lenovo SE450, iDRAC 10 and AMI take boot settings at the settings object only. Where that is announced and
 * not there, the system itself is written to. Throws BmcUnsupported.
 */
export const findPlace = async (bmc: Bmc): Promise<Place> => {
  const system = await bmc.system();
  const settings = await readOptional(bmc, system.body['@Redfish.Settings']?.SettingsObject, systemSettings);
  const at = settings?.body.Boot ? settings : system;
  const active = system.body.Boot ?? at.body.Boot;
  if (!at.body.Boot || !active) throw bmcFault('BmcUnsupported', 'The BMC offers no boot override.');
  return { at, boot: at.body.Boot, active };
};

const chooseTarget = ({ device }: Parsed<'boot.ensure'>, { boot, active }: Place, quirks: Quirks): string => {
  if (device === 'cdrom' && quirks.boot_cdrom_unsupported) {
    throw bmcFault(
      'BmcUnsupported',
      `This BMC boots its physical drive instead of virtual media. ${quirks.boot_cdrom_unsupported}`,
    );
  }
  const listed = [boot, active].flatMap((place) => place['BootSourceOverrideTarget@Redfish.AllowableValues'] ?? []);
  const preferred = device === 'cdrom' && quirks.boot_cdrom ? [quirks.boot_cdrom, ...devices.cdrom] : devices[device];
  const target = listed.length === 0 ? devices[device][0] : preferred.find((name) => listed.includes(name));
  if (target) return target;
  throw bmcFault('BmcUnsupported', `The BMC cannot boot from ${device}, only from ${listed.join(', ')}.`);
};

const chooseMode = ({ mode }: Parsed<'boot.ensure'>, { boot, active }: Place, quirks: Quirks): string | undefined => {
  const current = boot.BootSourceOverrideMode ?? active.BootSourceOverrideMode ?? undefined;
  const wanted = mode === 'uefi' || mode === 'bios' ? modes[mode] : quirks.boot_mode_always ? current : undefined;
  const listed = [boot, active].flatMap((place) => place['BootSourceOverrideMode@Redfish.AllowableValues'] ?? []);
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
 * Supermicro boards) or that the BMC does not even show (HPE iLO 5), and for one boot only where a permanent override
 * is refused, as Ironic does.
 */
const variants = (wanted: Override, { mode }: Parsed<'boot.ensure'>, { active }: Place): Override[] => {
  const optional = mode === 'keep' || !active.BootSourceOverrideMode;
  const base =
    optional && wanted.BootSourceOverrideMode ? [wanted, without(wanted, 'BootSourceOverrideMode')] : [wanted];
  const once = base.map((override) => ({ ...override, BootSourceOverrideEnabled: 'Once' }));
  return wanted.BootSourceOverrideEnabled === 'Continuous' ? [...base, ...once] : base;
};

const nameOf = (override: Override) => Object.values(override).join(' ');

/** Setting a field to what it is makes some BMCs do a job (Dell: Mode), leaving it out makes others forget it. */
const patchOf = (override: Override, { boot }: Place, quirks: Quirks): object => {
  const always = ['BootSourceOverrideTarget', 'BootSourceOverrideEnabled'];
  const sends = ([name, value]: [string, unknown]) =>
    boot[name] !== value ||
    (quirks.boot_pair && always.includes(name)) ||
    (quirks.boot_mode_always && name === 'BootSourceOverrideMode');
  return { Boot: Object.fromEntries(Object.entries(override).filter(sends)) };
};

/** In a settings object that wants nothing, what the system shows is what holds. A mode may not be shown at all. */
const holds = ({ boot, active }: Place, override: Override): boolean => {
  const shown = boot.BootSourceOverrideTarget ? boot : active;
  const isSo = ([name, value]: [string, unknown]) =>
    shown[name] === value || (name === 'BootSourceOverrideMode' && (shown[name] ?? null) === null);
  return Object.entries(override).every(isSo);
};

const ensureOverride = async (call: Call<'boot.ensure'>, bmc: Bmc) => {
  const { names, quirks } = await bmc.quirks();
  let place = await findPlace(bmc);
  const options = variants(wantedOverride(call.params, place, quirks), call.params, place);
  /** The variant that the ledger says was sent last; the first one before anything was. */
  const lastSent = (entry: LedgerEntry | undefined) => options.findIndex((option) => nameOf(option) === entry?.what);
  const deed = (option: Override): Deed => ({
    what: nameOf(option),
    send: async () => bmc.redfish.patch(place.at.path, patchOf(option, place, quirks), place.at.etag),
  });
  return ensure(call, {
    observe: async (entry) => {
      place = await findPlace(bmc);
      const option = options[Math.max(lastSent(entry), 0)]!;
      if (holds(place, option)) return { so: {} };
      return { not: `The BMC does not show the boot override ${nameOf(option)} yet.` };
    },
    next: (entry) => {
      const last = lastSent(entry);
      const rejected = entry?.state === 'refused' && entry.outcome === 'BmcRejected';
      if (rejected) return deed(options[last + 1] ?? options[last]!);
      return maySend(call, entry, lagMs) ? deed(options[Math.max(last, 0)]!) : undefined;
    },
    task: bmc.redfish.task,
    quirks: async () => names,
  });
};

/** Done when the BMC shows the override, in the system or in its settings object. */
export const ensureBoot = async (call: Call<'boot.ensure'>) => withBmc(call, async (bmc) => ensureOverride(call, bmc));
