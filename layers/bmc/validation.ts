/**
 * What stands in the way of working on a node, by interface: GET validate shows all of it, PUT states/provision and
 * the Validate phase refuse to begin (ironic-deploy.md 1). Pure: neither the machine nor an image server is asked.
 */
import { askedMedium, networkOf } from '../domain/agent-medium.ts';
import { checkCapabilities } from '../domain/capabilities.ts';
import { configdriveObject } from '../domain/configdrive.ts';
import { Invalid, isFault } from '../domain/fault.ts';
import { refuseForeign } from '../domain/foreign-types.ts';
import { implementationOf, interfaceKinds, unsupported, type InterfaceKind } from '../domain/hardware-types.ts';
import { checkBootIso, checkImage, isWebUrl } from '../domain/instance-image.ts';
import type { Node } from '../domain/node.ts';
import { note } from '../domain/notes.ts';
import { ramdiskOf, type Purpose, type RamdiskSettings } from '../domain/ramdisk.ts';
import { checkRootDevice } from '../domain/root-device.ts';
import { parseDriverInfo, requireSecured } from './driver-info.ts';

/**
 * `hasPorts`: whether the node has any port. `ramdisk`: what settings say where driver_info does not. `requireTls`: the
 * setting bmc_require_tls, by which the proxy goes whoever asks it; absent: here nobody does.
 */
export type Surroundings = {
  readonly hasPorts: boolean;
  readonly ramdisk: RamdiskSettings;
  readonly requireTls?: boolean;
};

/** A remark on what is valid but should be known; throws Invalid (400) on what is not valid. */
type Check = (node: Node, around: Surroundings) => string | undefined;

export type Validation = { readonly result: boolean; readonly reason?: string };

const nothing: Check = () => undefined;

const redfish: Check = ({ driver_info: info }, { requireTls }) => {
  const access = parseDriverInfo(info);
  if (requireTls) requireSecured(access);
  const { mode } = access.trust;
  if (mode === 'plain') {
    return 'driver_info.redfish_address is http: whoever listens in the network of the BMC gets its password.';
  }
  return mode === 'insecure'
    ? 'driver_info.redfish_verify_ca is false: whoever answers at the address of the BMC gets its password.'
    : undefined;
};

/** Why the agent of this node has to ask for its token; undefined if it has a medium to get it by (ADR 9). */
const weakerToken: Check = (node) => {
  const { given, value } = askedMedium(node);
  if (given && value === undefined) throw Invalid('driver_info.config_via_removable must be true or false.');
  if (value) return undefined;
  const consequence =
    'its agent has to ask for its token, and anybody in agent_networks who knows a MAC address could be first.';
  if (given) return `driver_info.config_via_removable is false: ${consequence}`;
  if (note(node, 'removable_media') !== false) return undefined;
  return `The BMC offers one virtual drive only: ${consequence}`;
};

/** Throws Invalid for an agent that would never have an address: it reads network_data on a second medium. */
const checkNetwork = (node: Node): void => {
  if (!networkOf(node)) return;
  const way = 'network_data reaches the agent on a second virtual medium only';
  const otherwise = 'Remove network_data where the agent gets an address by DHCP.';
  if (askedMedium(node).value === false) {
    throw Invalid(`${way}, and driver_info.config_via_removable is false. Set it to true. ${otherwise}`);
  }
  if (note(node, 'removable_media') === false) {
    throw Invalid(`${way}, and the BMC offers one virtual drive only. ${otherwise}`);
  }
};

/** The agent finds its node by the MAC address of a port. `purpose`: which ramdisk it comes with. */
const ramdiskFor =
  (purpose: Purpose): Check =>
  (node, around) => {
    ramdiskOf(node, purpose, around.ramdisk);
    if (!around.hasPorts) {
      throw Invalid(`Node ${node.uuid} has no port. Create one: its agent is recognised by the MAC address.`);
    }
    checkNetwork(node);
    return weakerToken(node, around);
  };

const agentMedia = ramdiskFor('deploy');
const rescueMedia = ramdiskFor('rescue');

/** New machines have no ports yet: the agent is then known by the address of its BMC. */
const inspectMedia: Check = (node, around) => agentMedia(node, { ...around, hasPorts: true });

/** A ramdisk deploy boots the instance's own ISO; the agent is then needed for cleaning only. */
const virtualMedia: Check = (node, around) => {
  redfish(node, around);
  if (node.deploy_interface !== 'ramdisk') return agentMedia(node, around);
  try {
    return agentMedia(node, around);
  } catch (error) {
    if (isFault(error)) return `Automated cleaning is not possible. ${error.message}`;
    throw error;
  }
};

const checkConfigdrive = (node: Node): void => {
  const value = node.instance_info['configdrive'] ?? null;
  if (value !== null && !isWebUrl(value) && configdriveObject(node) === undefined) {
    throw Invalid('instance_info.configdrive must be an http or https URL; others are passed to states/provision.');
  }
};

const checkTraits = ({ uuid, instance_info: info, traits }: Node): void => {
  const wanted = info['traits'] ?? [];
  if (!Array.isArray(wanted) || wanted.some((trait) => typeof trait !== 'string')) {
    throw Invalid('instance_info.traits must be a list of texts.');
  }
  const missing = wanted.filter((trait: string) => !traits.includes(trait));
  if (missing.length > 0) throw Invalid(`instance_info.traits: node ${uuid} has not ${missing.join(', ')}.`);
};

const checkInstance = (node: Node): undefined => {
  checkCapabilities(node);
  checkConfigdrive(node);
  checkTraits(node);
};

const checkDisks = (node: Node): void => {
  for (const place of ['properties', 'instance_info'] as const) {
    const hints = node[place]['root_device'] ?? null;
    if (hints !== null) checkRootDevice(`${place}.root_device`, hints);
  }
};

/** What is written, and how, is told by the steps that somebody asks for. */
const customAgent: Check = (node, around) => {
  const remark = virtualMedia(node, around);
  checkDisks(node);
  checkInstance(node);
  return remark;
};

const direct: Check = (node, around) => {
  const remark = virtualMedia(node, around);
  checkImage(node.instance_info);
  checkDisks(node);
  checkInstance(node);
  return remark;
};

const ramdisk: Check = (node, around) => {
  const remark = virtualMedia(node, around);
  checkBootIso(node.instance_info);
  checkInstance(node);
  return remark;
};

/** One check per implementation. What is not here is `no-<interface>`, which no driver can do. */
const checks: { readonly [K in InterfaceKind]?: { readonly [implementation: string]: Check } } = {
  bios: { fake: nothing, redfish },
  boot: { fake: nothing, 'redfish-virtual-media': virtualMedia },
  console: { fake: nothing },
  deploy: { fake: (node) => checkInstance(node), direct, ramdisk, 'custom-agent': customAgent },
  firmware: { fake: nothing, redfish },
  inspect: { fake: nothing, redfish, agent: inspectMedia },
  management: { fake: nothing, redfish },
  network: { noop: nothing, flat: nothing },
  power: { fake: nothing, redfish },
  raid: { fake: nothing },
  rescue: { fake: nothing, agent: rescueMedia },
  storage: { noop: nothing, fake: nothing },
  vendor: { fake: nothing, redfish },
};

/** For interfaces that boot no ramdisk of ours. */
const anyPorts: Surroundings = { hasPorts: true, ramdisk: {} };

/** Runs the check of one interface. Returns its remark. Throws Invalid (400), also for what the driver cannot do. */
export const validateInterface = (node: Node, kind: InterfaceKind, around = anyPorts): string | undefined => {
  refuseForeign(node);
  const check = checks[kind]?.[implementationOf(node[`${kind}_interface`])];
  if (!check) throw unsupported(node.driver, kind);
  return check(node, around);
};

const outcome = (node: Node, kind: InterfaceKind, around: Surroundings): Validation => {
  try {
    const reason = validateInterface(node, kind, around);
    return { result: true, ...(reason !== undefined && { reason }) };
  } catch (error) {
    if (isFault(error)) return { result: false, reason: error.message };
    throw error;
  }
};

/** Every interface but vendor (as Ironic) with its outcome; a valid one may have a reason too, which is a remark. */
export const validateNode = (node: Node, around: Surroundings): Record<string, Validation> =>
  Object.fromEntries(
    (Object.keys(interfaceKinds) as InterfaceKind[])
      .filter((kind) => kind !== 'vendor')
      .map((kind) => [kind, outcome(node, kind, around)]),
  );

/** What must hold before the deploy ramdisk is booted, whatever for. Throws Invalid (400) naming the first thing wrong. */
export const validateRamdisk = (node: Node, around: Surroundings): void => void agentMedia(node, around);

type Wanted = {
  readonly interfaces?: readonly InterfaceKind[];
  /** What the node cannot do without them, for the refusal. */
  readonly purpose?: string;
};

/** What must hold before something begins that needs these interfaces. Throws Invalid (400) naming the first thing wrong. */
export const requireInterfaces = (node: Node, { interfaces = [], purpose }: Wanted, around: Surroundings): void => {
  for (const kind of interfaces) {
    try {
      validateInterface(node, kind, around);
    } catch (error) {
      if (purpose === undefined || !isFault(error)) throw error;
      throw Invalid(`Node ${node.uuid} cannot ${purpose}, its ${kind} interface is not ready. ${error.message}`, error);
    }
  }
};
