/**
 * What a machine that does not exist consists of. The whole record is plain JSON: it is what survives a restart
 * (`snapshot.ts`). Times are milliseconds of the simulator's clock.
 */
import { createHash } from 'node:crypto';

import { profiles, type Profile, type ProfileName } from './profiles.ts';
import type { Settings } from './settings.ts';

/** `halted`: powered, but nothing to boot was found or it could not be loaded. */
export type Phase = 'off' | 'post' | 'load' | 'os' | 'ramdisk' | 'halted';

/** `hdd`, or the id of the virtual media slot that is booted from. */
export type Device = string;

export type PowerChange = { readonly to: 'on' | 'off' | 'restart'; readonly at: number; readonly cause: string };

export type Media = {
  readonly image: string;
  readonly write_protected: boolean;
  /** From then on the BMC says Inserted. */
  readonly ready_at: number;
};

export type DriveFile = { readonly size: number; readonly sha256: string; readonly text?: string };

export type Disk = {
  image: { readonly sha256: string; readonly size: number; readonly written_at: number } | null;
  configdrive: {
    readonly sha256: string;
    readonly size: number;
    /** null: not an ISO 9660 image, kept as it came. */
    readonly label: string | null;
    readonly files: Readonly<Record<string, DriveFile>>;
    /** The partition's bytes, gzip in base64, for whoever wants to read them with tools of their own; null: too many. */
    readonly packed: string | null;
  } | null;
  /** The partition besides the root of a partition image, empty when it was made; missing: none. Its bytes are kept nowhere. */
  ephemeral?: { readonly mb: number; readonly format: string | null; readonly made_at: number } | null | undefined;
  /** An image is being written at this moment. */
  writing: boolean;
  /** Old data can still be recovered from the disk: true from the first write until `erase_devices`. */
  residue: boolean;
};

/** A result as the agent's API shows it (ironic-deploy.md 4). */
export type Command = {
  readonly id: string;
  readonly command_name: string;
  command_status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH';
  command_result: unknown;
  command_error: { type: string; code: number; message: string; details: string } | null;
};

export type Agent = {
  readonly api_url: string;
  /** Where the ramdisk was told to send its inventory before anything else; missing: nowhere. */
  readonly inspection_url?: string | null;
  /** `locked`: shut itself off, for want of a token or because it was told to. `dead`: its process is gone. */
  state: 'calling' | 'serving' | 'locked' | 'dead';
  token: string | null;
  node_uuid: string | null;
  /** N of the API's version 1.N. */
  version: number;
  heartbeat_timeout: number;
  readonly started_at: number;
  commands: Command[];
  /** SHA-256 of the password hash that the ramdisk was given for a rescue. */
  rescue?: string;
  /** The asynchronous command under way with what it was given, so that a restart can take it up again. */
  running: { readonly id: string; readonly name: string; readonly params: Record<string, unknown> } | null;
};

export type Session = { readonly id: string; readonly token: string; used_at: number };
/** `failed`: its end is an error. */
export type Job = { readonly id: string; readonly name: string; readonly done_at: number; readonly failed?: true };

export type Destination = {
  readonly id: string;
  readonly destination: string;
  readonly context: string;
  readonly protocol: string;
  readonly event_types: readonly string[];
};

/** One try to start: from what, what came of it, and in which phase the power was cut. */
export type Boot = {
  readonly at: number;
  device: Device | null;
  result: 'os' | 'ramdisk' | 'halted' | null;
  reason?: string;
  cut: Phase | null;
};

export type Machine = {
  readonly name: string;
  readonly profile: ProfileName;
  readonly uuid: string;
  readonly serial: string;
  readonly mac: string;
  readonly username: string;
  readonly password: string;
  /** State of the machine's own generator (`draw`). */
  random: number;
  phase: Phase;
  /** When the phase ends by itself; means nothing in `off`, `os`, `ramdisk` and `halted`. */
  until: number;
  device: Device | null;
  change: PowerChange | null;
  /** What the BMC goes on reporting although it is no longer so (fault power_state_stale). */
  stale: { readonly power: 'On' | 'Off'; readonly until: number } | null;
  /** The BMC restarts until then. */
  bmc_back_at: number;
  boot: { target: string; enabled: 'Disabled' | 'Once' | 'Continuous'; mode: string };
  media: Record<string, Media | null>;
  /** Until when a drive, by its slot, still shows Inserted although it is empty; missing: none ever did. */
  emptied?: Record<string, number>;
  /** Missing for a machine that is as it came (`settings.ts`). */
  settings?: Settings;
  disk: Disk;
  agent: Agent | null;
  /** Who is told of events; missing: nobody. Nothing is ever sent. */
  subscriptions?: readonly Destination[];
  /** Updates of firmware, and when each is or will be done; missing: none ever was. */
  updates?: readonly { readonly id: string; readonly version: string; readonly at: number }[];
  sessions: Session[];
  jobs: Job[];
  /** Evidence (`evidence.ts`). */
  timeline: { at: number; from: 'On' | 'Off'; to: 'On' | 'Off'; cause: string }[];
  resets: { at: number; type: string; status: number }[];
  boots: Boot[];
  boot_count: number;
  violations: { at: number; what: string }[];
  auth_failures: number;
};

/** What the BMC of this machine is like. */
export const profileOf = (machine: Machine): Profile => profiles[machine.profile];

/** Whether it has power, whatever it does with it. */
export const isOn = (machine: Machine): boolean => machine.phase !== 'off';

/** The next number in [0, 1) of the machine's own sequence (mulberry32): the same seed gives the same machine. */
export const draw = (machine: Machine): number => {
  machine.random = (machine.random + 0x6d2b79f5) | 0;
  let word = machine.random;
  word = Math.imul(word ^ (word >>> 15), word | 1);
  word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
  return ((word ^ (word >>> 14)) >>> 0) / 4_294_967_296;
};

const identity = (seed: number, index: number) => {
  const digest = createHash('sha256').update(`ingot ${seed} ${index}`).digest();
  const hex = digest.toString('hex');
  const variant = '89ab'[digest[8]! & 3]!;
  const byte = (value: number) => (value & 255).toString(16).padStart(2, '0');
  return {
    uuid: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    mac: ['52', '54', byte(seed), byte(index >> 16), byte(index >> 8), byte(index)].join(':'),
    password: digest.subarray(16, 28).toString('base64url'),
    random: digest.readInt32LE(28),
  };
};

/** Machine number `index` (from 1) as it comes from the factory: off, disk blank. */
export const createMachine = (seed: number, index: number, profile: ProfileName): Machine => {
  const number = String(index).padStart(4, '0');
  const { slots } = profiles[profile];
  return {
    ...identity(seed, index),
    name: `m${number}`,
    profile,
    serial: `SIM${number}`,
    username: 'operator',
    phase: 'off',
    until: 0,
    device: null,
    change: null,
    stale: null,
    bmc_back_at: 0,
    boot: { target: 'None', enabled: 'Disabled', mode: 'UEFI' },
    media: Object.fromEntries(slots.map(({ id }) => [id, null])),
    disk: { image: null, configdrive: null, writing: false, residue: false },
    agent: null,
    sessions: [],
    jobs: [],
    timeline: [],
    resets: [],
    boots: [],
    boot_count: 0,
    violations: [],
    auth_failures: 0,
  };
};
