/** What management interfaces can do besides power, by implementation (ironic-api.md 2.1). */
import { refuseForeign } from './foreign-types.ts';
import { unsupported } from './hardware-types.ts';
import type { Node } from './node.ts';

/** All boot devices that Ironic knows; none of the interfaces can do all. */
const bootDevices = ['pxe', 'disk', 'cdrom', 'bios', 'safe', 'wanboot', 'iscsiboot', 'floppy', 'uefihttp'] as const;

export const indicatorComponents = ['system', 'chassis', 'disk', 'power', 'nic'] as const;
export const indicatorStates = ['on', 'off', 'blinking'] as const;

export type Management = {
  readonly boot_devices: readonly (typeof bootDevices)[number][];
  /** Whether it can send a non-maskable interrupt. */
  readonly nmi: boolean;
};

const managements: { readonly [implementation: string]: Management } = {
  fake: { boot_devices: ['pxe'], nmi: false },
  redfish: { boot_devices: ['pxe', 'disk', 'cdrom', 'bios', 'uefihttp'], nmi: true },
};

/** What the management interface of the node can do. Throws Invalid (400) if it has none that can do anything. */
export const managementOf = (node: Node): Management => {
  refuseForeign(node);
  const { driver, management_interface: name } = node;
  const found = name !== null && Object.hasOwn(managements, name) ? managements[name] : undefined;
  if (!found) throw unsupported(driver, 'management');
  return found;
};
