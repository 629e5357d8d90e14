/**
 * Hardware types that an Ironic has and this version has not, of which nodes may be moved in all the same (ADR 22): they
 * are shown as they were, and nothing can be done with their machines until their driver is one of ours.
 */
import { Invalid } from './fault.ts';
import type { InterfaceField } from './hardware-types.ts';
import type { Node } from './node.ts';

type ForeignType = {
  /** The keys of driver_info by which its BMC is found and opened. */
  readonly access: { readonly address: string; readonly username: string; readonly password: string };
  /** What a node of it has that brings nothing else. Whatever it brings is kept: nobody goes by it. */
  readonly interfaces: { readonly [F in InterfaceField]: string };
  /** What an operator does with such a node. */
  readonly instead: string;
};

/** By the name that `driver` has. */
const foreignTypes: { readonly [driver: string]: ForeignType } = {
  ipmi: {
    access: { address: 'ipmi_address', username: 'ipmi_username', password: 'ipmi_password' },
    interfaces: {
      bios_interface: 'no-bios',
      boot_interface: 'ipxe',
      console_interface: 'no-console',
      deploy_interface: 'direct',
      firmware_interface: 'no-firmware',
      inspect_interface: 'no-inspect',
      management_interface: 'ipmitool',
      network_interface: 'noop',
      power_interface: 'ipmitool',
      raid_interface: 'no-raid',
      rescue_interface: 'no-rescue',
      storage_interface: 'noop',
      vendor_interface: 'ipmitool',
    },
    instead:
      'If its BMC speaks Redfish, convert it: `npx ingot nodes convert`, which asks for POST /v1/nodes/{ident}/conversion.',
  },
};

/** The type of this name; undefined for one of ours, and for one that nobody knows. */
const foreignType = (driver: string): ForeignType | undefined =>
  Object.hasOwn(foreignTypes, driver) ? foreignTypes[driver] : undefined;

/** Where driver_info of this type says how its BMC is reached; undefined for one that is not foreign. */
export const foreignAccess = (driver: string): ForeignType['access'] | undefined => foreignType(driver)?.access;

/** Where the secrets of foreign types go, by the name of each: the key that says so. */
export const foreignRecipients = (): [secret: string, recipient: string][] =>
  Object.values(foreignTypes).map(({ access }) => [access.password, access.address]);

/** The interfaces that a node of this type has by default; undefined for one that is not foreign. */
export const foreignInterfaces = (driver: string): ForeignType['interfaces'] | undefined =>
  foreignType(driver)?.interfaces;

/** Whether nothing can be done with machines of this type. */
export const isForeign = ({ driver }: Pick<Node, 'driver'>): boolean => foreignType(driver) !== undefined;

/** Throws Invalid (400) with what to do instead, for a node with whose machine nothing can be done. */
export const refuseForeign = ({ uuid, driver }: Pick<Node, 'uuid' | 'driver'>): void => {
  const type = foreignType(driver);
  if (!type) return;
  throw Invalid(
    `Node ${uuid} was moved in with driver ${driver}, which this version does not speak: it is shown, and nothing can be done with its machine. ${type.instead}`,
  );
};
