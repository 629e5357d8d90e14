/** Writing a boot override, in whatever form a BMC takes it (redfish.md 4.1, 4.2, 5 rows 9-11, 18, 19). */
import { bmcFault, isRejection } from '../../layers/bmc/faults.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import { systemSettings, type ComputerSystem } from '../../layers/redfish-client/resources.ts';
import type { Bmc } from './bmc.ts';
import type { Call } from './call.ts';
import { ensure, maySend, type Deed } from './ensure.ts';
import { readOptional } from './resource.ts';

type Boot = NonNullable<ComputerSystem['Boot']>;

/** The three fields, each with what it shall be. */
export type Override = {
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

/** What the BMC lists as targets, or as modes, in both places, each once. */
export const listedIn = ({ boot, active }: Place, what: 'Target' | 'Mode'): string[] => [
  ...new Set([boot, active].flatMap((place) => place[`BootSourceOverride${what}@Redfish.AllowableValues`] ?? [])),
];

/** The mode that holds; undefined: the BMC does not say. */
export const currentMode = ({ boot, active }: Place): string | undefined =>
  boot.BootSourceOverrideMode ?? active.BootSourceOverrideMode ?? undefined;

/** One way to say it. `whole`: with all three fields, also those that are so already. */
export type Variant = { readonly override: Override; readonly whole?: true };

/** Boards that lose or refuse a change without all three (as AMI's do), found by what they answer. */
export const wholeOf = (override: Override, place: Place, quirks: Quirks): Variant[] => {
  const mode = override.BootSourceOverrideMode ?? currentMode(place);
  const always = quirks.boot_pair && quirks.boot_mode_always;
  return mode && !always ? [{ override: { ...override, BootSourceOverrideMode: mode }, whole: true }] : [];
};

/** Names a variant in the ledger. */
export const nameOf = ({ override, whole }: Variant) =>
  `${Object.values(override).join(' ')}${whole ? ' (all three fields)' : ''}`;

/**
 * Setting a field to what it is makes some BMCs do a job (Dell: Mode), leaving it out makes others forget it. The target
 * always goes along: sushy-tools and others take no change that does not say what to boot from.
 */
const patchOf = ({ override, whole }: Variant, { boot }: Place, quirks: Quirks): object => {
  const sends = ([name, value]: [string, unknown]) =>
    whole ||
    name === 'BootSourceOverrideTarget' ||
    boot[name] !== value ||
    (quirks.boot_pair && name === 'BootSourceOverrideEnabled') ||
    (quirks.boot_mode_always && name === 'BootSourceOverrideMode');
  return { Boot: Object.fromEntries(Object.entries(override).filter(sends)) };
};

/** In a settings object that wants nothing, what the system shows is what holds. */
export const shownOf = ({ boot, active }: Place): Boot => (boot.BootSourceOverrideTarget ? boot : active);

/** sushy-tools, kubevirtbmc: they take Once, and show and do Continuous. */
const keptAsContinuous = 'boot-once-kept-as-continuous';

/** Reported in place of a row of layers/bmc/quirks.ts: whose quirk it is shows in what the BMC does, not in its name. */
const quirkShown = (place: Place, { override }: Variant): string[] => {
  const { BootSourceOverrideEnabled: enabled } = shownOf(place);
  return override.BootSourceOverrideEnabled === 'Once' && enabled === 'Continuous' ? [keptAsContinuous] : [];
};

type Aim = {
  readonly options: readonly Variant[];
  /** Whether the machine is as wanted; `option` was sent last, `sent` unless it was refused. */
  isSo(place: Place, option: Variant, sent: boolean): boolean;
  not(place: Place, option: Variant): string;
};

/** Tries the variants until the BMC takes one. */
export const ensureOverride = async (
  call: Call<'boot.ensure'> | Call<'boot.clear'>,
  bmc: Bmc,
  first: Place,
  { options, isSo, not }: Aim,
) => {
  const { names, quirks } = await bmc.quirks();
  let place = first;
  let option = options[0]!;
  let looked = false;
  /** The variant that the ledger says was sent last; the first one before anything was. */
  const lastSent = (entry: LedgerEntry | undefined) => options.findIndex((one) => nameOf(one) === entry?.what);
  const deed = (one: Variant): Deed => ({
    what: nameOf(one),
    send: async () => bmc.redfish.patch(place.at.path, patchOf(one, place, quirks), place.at.etag),
  });
  return ensure(call, {
    observe: async (entry) => {
      if (looked) place = await findPlace(bmc);
      looked = true;
      option = options[Math.max(lastSent(entry), 0)]!;
      const sent = entry !== undefined && entry.state !== 'refused';
      return isSo(place, option, sent) ? { so: {} } : { not: not(place, option) };
    },
    next: (entry) => {
      const last = lastSent(entry);
      const rejected = entry?.state === 'refused' && isRejection(entry.outcome);
      if (rejected) return deed(options[last + 1] ?? options[last]!);
      return maySend(call, entry, lagMs) ? deed(options[Math.max(last, 0)]!) : undefined;
    },
    task: bmc.redfish.task,
    quirks: async () => [...names, ...quirkShown(place, option)],
  });
};
