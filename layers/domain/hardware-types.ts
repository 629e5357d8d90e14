/**
 * The hardware types as a table: what `driver` may be, which implementation each interface of it can have, and what
 * `driver_info` may hold (ironic-api.md 6, ironic-deploy.md 1.1). What this version cannot do is `no-<interface>`.
 */
import { Invalid } from './fault.ts';

/** Interface kinds with the microversion 1.N that introduced their fields. */
export const interfaceKinds = {
  bios: { since: 40 },
  boot: { since: 31 },
  console: { since: 31 },
  deploy: { since: 31 },
  firmware: { since: 86 },
  inspect: { since: 31 },
  management: { since: 31 },
  network: { since: 20 },
  power: { since: 31 },
  raid: { since: 31 },
  rescue: { since: 38 },
  storage: { since: 33 },
  vendor: { since: 31 },
} as const satisfies Record<string, { since: number }>;

export type InterfaceKind = keyof typeof interfaceKinds;
export type InterfaceField = `${InterfaceKind}_interface`;

/** A key of driver_info. */
export type DriverProperty = {
  readonly doc: string;
  readonly required?: true;
  /** Its value is sealed and never stored in the node's record. */
  readonly secret?: true;
  /** Decides who gets the secrets of the type: they are sealed for its value, and have to be given again with another. */
  readonly recipient?: true;
};

export type HardwareType = {
  /** The enabled implementations; the first is the default. */
  readonly interfaces: { readonly [K in InterfaceKind]: readonly [string, ...string[]] };
  readonly properties: { readonly [name: string]: DriverProperty };
};

/** By the name that `driver` has. */
export const hardwareTypes: { readonly [driver: string]: HardwareType } = {
  redfish: {
    interfaces: {
      bios: ['redfish', 'no-bios'],
      boot: ['redfish-virtual-media'],
      console: ['no-console'],
      deploy: ['direct', 'ramdisk'],
      firmware: ['redfish', 'no-firmware'],
      inspect: ['redfish', 'agent', 'no-inspect'],
      management: ['redfish'],
      network: ['noop', 'flat'],
      power: ['redfish'],
      // Metal3 asks for `redfish` by name for every host, most of which have no RAID. It does what no-raid does.
      raid: ['no-raid', 'redfish'],
      rescue: ['no-rescue', 'agent'],
      storage: ['noop'],
      vendor: ['redfish', 'no-vendor'],
    },
    properties: {
      redfish_address: {
        required: true,
        recipient: true,
        doc: 'URL of the BMC. https is assumed without a scheme; a path becomes the prefix of its service root. Who changes it gives the password again. Required.',
      },
      redfish_system_id: {
        doc: 'Path of the machine, such as /redfish/v1/Systems/1. Needed only if the BMC has several. Optional.',
      },
      redfish_username: { doc: 'Account on the BMC. Optional.' },
      redfish_password: { secret: true, doc: 'Password of that account. Kept sealed, shown as ******. Optional.' },
      redfish_verify_ca: {
        recipient: true,
        doc: 'How the certificate of the BMC is checked: true (public authorities), PEM text (its own certificate or a CA), sha256: and the fingerprint to pin, or false (not at all, insecure). Who changes it gives the password again. Optional, default true.',
      },
      redfish_auth_type: { doc: 'basic, session or auto (session first, then basic). Optional, default auto.' },
      deploy_iso: {
        doc: 'http or https URL of the ISO image with the deploy agent. Required to clean, and to deploy with deploy interface direct. Its kernel parameter boot_method=vmedia makes the agent read its token and the address of this API from a second medium.',
      },
      config_via_removable: {
        doc: 'Whether the agent gets its token on a second virtual medium, which it looks for if the kernel parameter boot_method=vmedia is in its ISO. false: it has to ask, which is weaker. true: nothing is booted without that medium. Optional, default true where the BMC has a second drive.',
      },
      rescue_iso: {
        doc: 'http or https URL of the ISO image of the rescue ramdisk, for rescue interface agent. Optional, default deploy_iso.',
      },
    },
  },
  'fake-hardware': {
    interfaces: {
      bios: ['fake', 'no-bios'],
      boot: ['fake'],
      console: ['fake', 'no-console'],
      deploy: ['fake'],
      firmware: ['fake', 'no-firmware'],
      inspect: ['fake', 'no-inspect'],
      management: ['fake'],
      network: ['noop', 'flat'],
      power: ['fake'],
      raid: ['fake', 'no-raid'],
      rescue: ['fake', 'no-rescue'],
      storage: ['noop', 'fake'],
      vendor: ['fake', 'no-vendor'],
    },
    // Ironic's: nobody needs them.
    properties: { B1: { doc: 'B1 description. Required.' }, B2: { doc: 'B2 description. Required.' } },
  },
};

const kinds = Object.keys(interfaceKinds) as InterfaceKind[];

/** The hardware type of this name. Throws Invalid (400), as Ironic does for a driver that no conductor has. */
const hardwareType = (driver: string): HardwareType => {
  const found = Object.hasOwn(hardwareTypes, driver) ? hardwareTypes[driver] : undefined;
  if (!found) {
    throw Invalid(`No conductor supports driver "${driver}". Known drivers: ${Object.keys(hardwareTypes).join(', ')}.`);
  }
  return found;
};

/** All interface fields of a node with the driver's default values. Throws Invalid for an unknown driver. */
export const defaultInterfaces = (driver: string): Record<InterfaceField, string> => {
  const { interfaces } = hardwareType(driver);
  return Object.fromEntries(kinds.map((kind) => [`${kind}_interface`, interfaces[kind][0]])) as Record<
    InterfaceField,
    string
  >;
};

/**
 * Checks every `<kind>_interface` in `values`; null and absent ones stand for the default, other keys are ignored.
 * Throws Invalid (400) for an unknown driver and for an implementation that the driver does not have.
 */
export const checkInterfaces = (driver: string, values: object): void => {
  const { interfaces } = hardwareType(driver);
  for (const kind of kinds) {
    const value = (values as Record<string, unknown>)[`${kind}_interface`] ?? null;
    if (value !== null && !interfaces[kind].includes(value as string)) {
      throw Invalid(
        `Driver ${driver} does not support ${kind}_interface ${JSON.stringify(value)}. It supports: ${interfaces[kind].join(', ')}.`,
      );
    }
  }
};

/** The driver_info keys whose values are sealed. Throws Invalid for an unknown driver. */
export const secretKeys = (driver: string): string[] =>
  Object.entries(hardwareType(driver).properties)
    .filter(([, property]) => property.secret)
    .map(([name]) => name);

/** Ironic's words for what a driver cannot do (400). */
export const unsupported = (driver: string, extension: string) =>
  Invalid(`Driver ${driver} does not support ${extension} (disabled or not implemented).`);
