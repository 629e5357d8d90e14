/** What the machines of the fake proxy have besides power and an agent: settings, lights, firmware, parts. */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Firmware, Inventory } from '../../layers/bmc/inventory.ts';
import type { Observed, Operation } from '../../layers/bmc/operations.ts';
import type { BiosSetting, Indicator, Subscription } from '../../layers/bmc/settings.ts';

/** null: this BMC has no such thing, and says BmcUnsupported. */
export type FakeParts = {
  secure_boot: boolean | null;
  /** How many interrupts came. */
  nmis: number;
  indicators: Indicator[];
  bios: BiosSetting[] | null;
  /** What the next start brings. */
  bios_pending: Record<string, unknown>;
  /** How often factory settings were asked for. */
  bios_resets: number;
  subscriptions: Subscription[];
  firmware: Firmware[] | null;
  inventory: Inventory | null;
};

const setting = (name: string, value: unknown, more: Partial<BiosSetting>): BiosSetting => ({
  name,
  value,
  attribute_type: null,
  allowable_values: null,
  lower_bound: null,
  max_length: null,
  min_length: null,
  read_only: false,
  reset_required: true,
  unique: null,
  upper_bound: null,
  ...more,
});

export const newParts = (): FakeParts => ({
  secure_boot: false,
  nmis: 0,
  indicators: [
    { component: 'system', name: '1', states: ['on', 'off', 'blinking'], readonly: false, state: 'off' },
    { component: 'chassis', name: '1', states: ['on', 'off'], readonly: false, state: 'off' },
  ],
  bios: [
    setting('ProcTurboMode', 'Enabled', { attribute_type: 'Enumeration', allowable_values: ['Enabled', 'Disabled'] }),
    setting('BootTimeout', 5, { attribute_type: 'Integer', lower_bound: 0, upper_bound: 60 }),
  ],
  bios_pending: {},
  bios_resets: 0,
  subscriptions: [],
  firmware: [
    { component: 'bios', current_version: '2.4.1', vendor: 'Ingot', model: 'Fake', serial_number: '1' },
    { component: 'bmc', current_version: '1.0.0', vendor: 'Ingot', model: 'Fake BMC', serial_number: null },
  ],
  inventory: {
    interfaces: [{ name: 'NIC1', mac_address: '52:54:00:00:00:01', speed_mbps: 25_000, has_carrier: true }],
    disks: [{ name: 'Disk 1', size: 480 * 10 ** 9, model: 'Fake SSD', serial: 'D1', vendor: 'Ingot' }],
    memory: { physical_mb: 65_536 },
    cpu: { count: 32, architecture: 'x86_64', model_name: 'Fake CPU' },
    system_vendor: { product_name: 'Fake', serial_number: '1', manufacturer: 'Ingot' },
    boot: { current_boot_mode: 'uefi' },
  },
});

const present = <T>(part: T | null, what: string): T => {
  if (part !== null) return part;
  throw bmcFault('BmcUnsupported', `The BMC offers no ${what}.`);
};

const setIndicator = ({ indicators }: FakeParts, params: { component: string; name: string; state: 'on' | 'off' }) => {
  const { component, name, state } = params;
  const found = indicators.find((one) => one.component === component && one.name === name);
  if (!found) throw bmcFault('BmcNotFound', `The BMC has no indicator ${name} of ${component}.`);
  const changed = found.state !== state;
  found.state = state;
  return { changed };
};

/** The machine starts: its BIOS takes over what waited for that. */
export const startBios = (machine: FakeParts): void => {
  for (const row of machine.bios ?? []) row.value = machine.bios_pending[row.name] ?? row.value;
  machine.bios_pending = {};
};

const setBios = (machine: FakeParts, { settings }: { settings: { name: string; value: unknown }[] }) => {
  const { bios, bios_pending: coming } = machine;
  let changed = false;
  for (const { name, value } of settings) {
    const found = present(bios, 'BIOS settings').find((one) => one.name === name);
    if (!found) throw bmcFault('BmcRejected', `The BIOS has no setting ${name}.`);
    changed ||= (coming[name] ?? found.value) !== value;
    if (found.value !== value) coming[name] = value;
  }
  return { changed, reboot_needed: settings.some(({ name }) => Object.hasOwn(coming, name)) };
};

type Names = Extract<
  Operation,
  | `secure_boot.${string}`
  | `nmi.${string}`
  | `indicator.${string}`
  | `subscription.${string}`
  | `bios.${string}`
  | 'firmware.get'
  | 'inventory.get'
>;

/** BIOS settings hold from the next start on, other settings at once. */
export const partHandlers: { [O in Names]: (machine: FakeParts, params: never) => Observed<O> } = {
  'secure_boot.get': ({ secure_boot: enabled }) => ({ enabled }),
  'secure_boot.ensure': (machine, { enabled }: { enabled: boolean }) => {
    const changed = present(machine.secure_boot, 'secure boot') !== enabled;
    machine.secure_boot = enabled;
    return { changed, reboot_needed: false };
  },
  'nmi.inject': (machine) => {
    machine.nmis += 1;
    return { changed: true };
  },
  'indicator.list': ({ indicators }) => ({ indicators: structuredClone(indicators) }),
  'indicator.ensure': setIndicator,
  'subscription.list': ({ subscriptions }) => ({ subscriptions: structuredClone(subscriptions) }),
  'subscription.create': (
    machine,
    { HttpHeaders: _headers, ...wanted }: Omit<Subscription, 'path' | 'Id'> & { HttpHeaders: unknown },
  ) => {
    const Id = String(machine.subscriptions.length + 1);
    const subscription = { path: `/redfish/v1/EventService/Subscriptions/${Id}`, Id, ...wanted };
    machine.subscriptions.push(subscription);
    return { changed: true, subscription };
  },
  'subscription.delete': (machine, { id }: { id: string }) => {
    const kept = machine.subscriptions.filter(({ Id }) => Id !== id);
    const changed = kept.length < machine.subscriptions.length;
    machine.subscriptions = kept;
    return { changed };
  },
  'bios.get': ({ bios }) => ({ settings: structuredClone(present(bios, 'BIOS settings')) }),
  'bios.ensure': setBios,
  'bios.reset': (machine) => {
    present(machine.bios, 'BIOS settings');
    machine.bios_resets += 1;
    return { changed: true, reboot_needed: true };
  },
  'firmware.get': ({ firmware }) => ({ components: structuredClone(present(firmware, 'firmware versions')) }),
  'inventory.get': ({ inventory }) => ({ inventory: structuredClone(present(inventory, 'inventory')) }),
};
