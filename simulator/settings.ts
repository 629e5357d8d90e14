/**
 * What can be set at a machine besides power and boot. Kept only for machines that were ever changed: all others are
 * as they came from the factory, and old snapshots know nothing of it.
 */
export type Value = string | number | boolean | null;

export type Settings = {
  /** `now`: what the machine was started with. */
  secure_boot: { next: boolean; now: boolean };
  /** What differs from the factory, and what the next start will change. */
  bios: Readonly<Record<string, Value>>;
  pending: Readonly<Record<string, Value>>;
  /** Lamps by the end of their resource's path; those that are not here are off. */
  lamps: Readonly<Record<string, 'Lit' | 'Blinking' | 'Off'>>;
};

type BiosRow = {
  readonly type: 'Enumeration' | 'Integer' | 'String' | 'Boolean' | 'Password';
  readonly value: Value;
  readonly values?: readonly string[];
  readonly lower?: number;
  readonly upper?: number;
  readonly longest?: number;
  readonly readOnly?: true;
};

const onOff = { type: 'Enumeration', values: ['Enabled', 'Disabled'] } as const;

/** The settings of a BIOS, one of each kind. */
export const biosRows: Readonly<Record<string, BiosRow>> = {
  ProcVirtualization: { ...onOff, value: 'Enabled' },
  ProcTurboMode: { ...onOff, value: 'Enabled' },
  WorkloadProfile: {
    type: 'Enumeration',
    value: 'Balanced',
    values: ['Balanced', 'PowerSaving', 'MaxPerformance'],
  },
  BootTimeout: { type: 'Integer', value: 5, lower: 0, upper: 60 },
  QuietBoot: { type: 'Boolean', value: true },
  AssetTag: { type: 'String', value: '', longest: 32 },
  ProcCores: { type: 'Integer', value: 16, lower: 0, upper: 64, readOnly: true },
  AdminPassword: { type: 'Password', value: null, longest: 32 },
};

/** The part of a machine that this is about. */
type Settable = { settings?: Settings };

/** The settings as they stand. */
export const settingsOf = ({ settings }: Settable): Settings =>
  settings ?? { secure_boot: { next: false, now: false }, bios: {}, pending: {}, lamps: {} };

/** The BIOS as it came from the factory. */
export const factoryBios = (): Record<string, Value> =>
  Object.fromEntries(Object.entries(biosRows).map(([name, { value }]) => [name, value]));

/** The BIOS as the machine goes by it. A password is never shown. */
export const currentBios = (machine: Settable): Record<string, Value> => {
  const { bios } = settingsOf(machine);
  const shown = ([name, value]: [string, Value]) => [name, biosRows[name]!.type === 'Password' ? null : value];
  return Object.fromEntries(Object.entries({ ...factoryBios(), ...bios }).map(shown)) as Record<string, Value>;
};

/** What POST does with what was set: it becomes what the machine goes by. */
export const takeOver = <Job extends { readonly done_at: number }>(
  machine: Settable & { jobs: Job[] },
  now: number,
): void => {
  if (!machine.settings) return;
  const { secure_boot, bios, pending } = machine.settings;
  machine.settings = {
    ...machine.settings,
    secure_boot: { ...secure_boot, now: secure_boot.next },
    bios: { ...bios, ...pending },
    pending: {},
  };
  machine.jobs = machine.jobs.map((job) => (job.done_at === atNextStart ? { ...job, done_at: now } : job));
};

/** When a job is done that waits for the machine to be started. */
export const atNextStart = Number.MAX_SAFE_INTEGER;
