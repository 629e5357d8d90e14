/**
 * How the BMCs of different makers differ, as data over one engine (redfish.md 4.2). Makers, models and firmware are
 * those the quirk was reported for; nothing here is copied from a machine.
 */

export type Slot = { readonly id: string; readonly media_types: readonly string[] };

export type Profile = {
  readonly vendor: string;
  readonly product: string;
  readonly model: string;
  readonly firmware: string;
  readonly ids: { readonly system: string; readonly manager: string; readonly chassis: string };
  readonly reset_types: readonly string[];
  /** What a reset into the state that the machine already has is answered with. */
  readonly repeated_reset: 204 | 400 | 409;
  readonly boot_targets: readonly string[];
  readonly boot_modes: readonly string[];
  /** Fields without which a boot change is refused, as each ends: Target, Enabled, Mode. */
  readonly boot_needs: readonly ('Target' | 'Enabled' | 'Mode')[];
  /** An override for one boot is kept for every boot. */
  readonly boot_keeps_once?: true;
  /** Boot changes are refused while the machine is in POST. */
  readonly boot_locked_in_post?: true;
  readonly media_under: 'Managers' | 'Systems' | 'Both';
  readonly slots: readonly Slot[];
  /** `action`: InsertMedia answers when done; `task`: answers 202; `patch`: no actions, PATCH the slot. */
  readonly insert: 'action' | 'task' | 'patch';
  /** Properties that InsertMedia does not take. */
  readonly insert_refuses: readonly string[];
  /** Looks at the image when it is inserted, not only when the machine boots from it. */
  readonly insert_checks?: true;
  /** Seconds from the accepted insertion until Inserted is true. */
  readonly insert_lag: number;
  /** Seconds for which an ejected drive still shows Inserted, without an image; who ejects it again is refused. */
  readonly eject_lag: number;
  /** EjectMedia without a JSON object as body is refused. */
  readonly eject_needs_object?: true;
  readonly etag: 'strong' | 'weak';
  readonly if_match_required?: true;
  /** Bodies without Content-Length are answered 411. */
  readonly length_required?: true;
  /** null: none at all, and the service root names none; whoever asks for one is refused as for a wrong password. */
  readonly session_limit: number | null;
  /** A reset is answered 202 with a task. */
  readonly reset_by_task?: true;
  /** Refusals (400) are plain text. */
  readonly plain_refusals?: true;
  /** How a lamp is spelled: IndicatorLED, or the newer LocationIndicatorActive, which cannot blink. */
  readonly lamp: 'led' | 'location';
  /** `settings`: name of the settings object; `job`: a change is answered 202 and alone in the settings object. */
  readonly bios: { readonly settings: string; readonly registry?: true; readonly job?: true };
  /** Whether there is secure boot, and whether a change shows at once or at the next start. */
  readonly secure_boot: 'at_once' | 'at_start' | undefined;
  readonly storage: 'Storage' | 'SimpleStorage';
  /** The system knows its network interfaces only after it was started for the first time; the chassis has the card. */
  readonly late_interfaces?: true;
};

const resets = ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'PushPowerButton', 'Nmi'];
const targets = ['None', 'Pxe', 'Hdd', 'Cd', 'Usb', 'BiosSetup', 'UefiHttp'];
const one = { system: '1', manager: '1', chassis: '1' };
const cdAndStick: readonly Slot[] = [
  { id: 'Cd', media_types: ['CD', 'DVD'] },
  { id: 'USBStick', media_types: ['USBStick'] },
];

const plain: Profile = {
  vendor: 'Ingot',
  product: 'Simulated BMC',
  model: 'Simulated Server',
  firmware: '1.0.0',
  ids: one,
  reset_types: resets,
  repeated_reset: 204,
  boot_targets: targets,
  boot_modes: ['UEFI', 'Legacy'],
  boot_needs: [],
  media_under: 'Managers',
  slots: cdAndStick,
  insert: 'action',
  insert_refuses: [],
  insert_lag: 0,
  eject_lag: 0,
  etag: 'strong',
  session_limit: 16,
  lamp: 'led',
  bios: { settings: 'Settings', registry: true },
  secure_boot: 'at_once',
  storage: 'Storage',
};

/** By the names that `--profiles` takes. */
export const profiles = {
  plain,
  /** iDRAC 9, firmware 6 and 7: numbered slots that take anything, Inserted comes late, 409 on a repeated reset. */
  dell: {
    ...plain,
    vendor: 'Dell',
    product: 'Integrated Dell Remote Access Controller',
    model: 'PowerEdge R650',
    firmware: '7.00.00.00',
    ids: { system: 'System.Embedded.1', manager: 'iDRAC.Embedded.1', chassis: 'System.Embedded.1' },
    repeated_reset: 409,
    boot_targets: [...targets, 'Floppy', 'SDCard', 'UefiTarget', 'Utilities'],
    media_under: 'Systems',
    slots: [
      { id: '1', media_types: ['CD', 'DVD', 'USBStick'] },
      { id: '2', media_types: ['CD', 'DVD', 'USBStick'] },
    ],
    insert_checks: true,
    insert_lag: 3,
    session_limit: 8,
    bios: { settings: 'Settings', registry: true, job: true },
    secure_boot: 'at_start',
  },
  /** iLO 5: EjectMedia wants {}, POST locks the boot settings, boot mode cannot be set, 400 on a repeated reset. */
  hpe: {
    ...plain,
    vendor: 'HPE',
    product: 'iLO 5',
    model: 'ProLiant DL360 Gen10',
    firmware: 'iLO 5 v2.78',
    reset_types: ['On', 'ForceOff', 'GracefulShutdown', 'ForceRestart', 'Nmi', 'PushPowerButton'],
    repeated_reset: 400,
    boot_modes: [],
    boot_locked_in_post: true,
    slots: [
      { id: '1', media_types: ['Floppy', 'USBStick'] },
      { id: '2', media_types: ['CD', 'DVD'] },
    ],
    insert_checks: true,
    eject_needs_object: true,
    etag: 'weak',
    session_limit: 12,
    late_interfaces: true,
  },
  /** X12 without a licence for more: no registry, no secure boot, disks from afar only; the virtual CD is UsbCd, Enabled must always be sent, InsertMedia takes Image only and answers 202. */
  supermicro: {
    ...plain,
    vendor: 'Supermicro',
    product: 'X12 BMC',
    model: 'SYS-120C-TR',
    firmware: '01.01.34',
    reset_types: ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'Nmi'],
    boot_targets: ['None', 'Pxe', 'Hdd', 'UsbCd', 'Usb', 'BiosSetup', 'UefiHttp'],
    boot_needs: ['Enabled'],
    slots: [{ id: 'VirtualMedia1', media_types: ['CD', 'DVD'] }],
    insert: 'task',
    insert_refuses: ['Inserted', 'WriteProtected'],
    insert_lag: 4,
    length_required: true,
    session_limit: 6,
    bios: { settings: 'SD' },
    secure_boot: undefined,
    storage: 'SimpleStorage',
  },
  /** XCC: no insert action but PATCH of the slot, every PATCH needs If-Match, PushPowerButton not there. */
  lenovo: {
    ...plain,
    vendor: 'Lenovo',
    product: 'XClarity Controller',
    model: 'ThinkSystem SR650',
    firmware: '8.40',
    reset_types: resets.filter((type) => type !== 'PushPowerButton'),
    slots: [
      { id: 'EXT1', media_types: ['CD', 'DVD'] },
      { id: 'EXT2', media_types: ['USBStick'] },
    ],
    insert: 'patch',
    if_match_required: true,
    session_limit: 10,
    lamp: 'location',
    bios: { settings: 'Pending', registry: true },
  },
  /** sushy-tools, kubevirtbmc: no word of None, Once is kept as Continuous, Enabled alone refused, in plain text. */
  emulator: {
    ...plain,
    product: 'Emulated BMC',
    boot_targets: ['Pxe', 'Hdd', 'Cd'],
    boot_needs: ['Target'],
    boot_keeps_once: true,
    plain_refusals: true,
  },
  /** sushy-tools with a password file: no sessions, and no word of them. */
  basic: { ...plain, product: 'BMC without sessions', session_limit: null },
  /** The same drives under the system and its manager, which show for a while what was ejected. */
  twins: { ...plain, product: 'BMC with drives shown twice', media_under: 'Both', eject_lag: 5 },
  /** Boards of makers that nobody knows by name, and that take no boot change without all three fields. */
  triple: { ...plain, product: 'BMC that wants all of it', boot_needs: ['Target', 'Enabled', 'Mode'] },
  /** Everything is a task, which the faults task_fails and task_stuck are about. */
  tasks: { ...plain, product: 'BMC with tasks', reset_by_task: true, insert: 'task', insert_lag: 2 },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[];
