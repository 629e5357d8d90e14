/**
 * What stands in the way of working on a node, by interface: GET validate shows all of it, PUT states/provision and
 * the Validate phase refuse to begin (ironic-deploy.md 1). Pure: neither the machine nor an image server is asked.
 */
import { askedMedium, networkOf } from '../domain/agent-medium.ts';
import { checkCapabilities } from '../domain/capabilities.ts';
import { configdriveObject } from '../domain/configdrive.ts';
import { Invalid, isFault } from '../domain/fault.ts';
import { refuseForeign } from '../domain/foreign-types.ts';
import { interfaceKinds, unsupported, type InterfaceKind } from '../domain/hardware-types.ts';
import { checkBootIso, checkImage, isWebUrl } from '../domain/instance-image.ts';
import type { Node } from '../domain/node.ts';
import { note } from '../domain/notes.ts';
import { checkRootDevice } from '../domain/root-device.ts';
import { parseDriverInfo } from './driver-info.ts';

/** `hasPorts`: whether the node has any port. */
export type Surroundings = { readonly hasPorts: boolean };

/** A remark on what is valid but should be known; throws Invalid (400) on what is not valid. */
type Check = (node: Node, around: Surroundings) => string | undefined;

export type Validation = { readonly result: boolean; readonly reason?: string };

const nothing: Check = () => undefined;

const redfish: Check = ({ driver_info: info }) =>
  parseDriverInfo(info).trust.mode === 'insecure'
    ? 'driver_info.redfish_verify_ca is false: whoever answers at the address of the BMC gets its password.'
    : undefined;

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

/** The agent comes from an ISO made beforehand; it finds its node by the MAC address of a port. */
const agentMedia: Check = (node, { hasPorts }) => {
  const { uuid, driver_info: info } = node;
  if ((info['deploy_iso'] ?? '') === '') {
    const parts = (info['deploy_kernel'] ?? info['deploy_ramdisk'] ?? '') !== '';
    throw Invalid(
      `Missing: driver_info.deploy_iso.${parts ? ' This version cannot build an ISO from driver_info.deploy_kernel and deploy_ramdisk.' : ''}`,
    );
  }
  if (!isWebUrl(info['deploy_iso'])) throw Invalid('driver_info.deploy_iso must be an http or https URL.');
  if (!hasPorts) {
    throw Invalid(`Node ${uuid} has no port. Create one: its agent is recognised by the MAC address.`);
  }
  checkNetwork(node);
  return weakerToken(node, { hasPorts });
};

/** New machines have no ports yet: the agent is then known by the address of its BMC. */
const inspectMedia: Check = (node) => agentMedia(node, { hasPorts: true });

const rescueMedia: Check = (node, around) => {
  const iso = node.driver_info['rescue_iso'] ?? null;
  if (iso !== null && !isWebUrl(iso)) throw Invalid('driver_info.rescue_iso must be an http or https URL.');
  const driverInfo = iso === null ? node.driver_info : { ...node.driver_info, deploy_iso: iso };
  return agentMedia({ ...node, driver_info: driverInfo }, around);
};

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

const direct: Check = (node, around) => {
  const remark = virtualMedia(node, around);
  checkImage(node.instance_info);
  for (const place of ['properties', 'instance_info'] as const) {
    const hints = node[place]['root_device'] ?? null;
    if (hints !== null) checkRootDevice(`${place}.root_device`, hints);
  }
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
  deploy: { fake: (node) => checkInstance(node), direct, ramdisk },
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

const anyPorts: Surroundings = { hasPorts: true };

/** Runs the check of one interface. Returns its remark. Throws Invalid (400), also for what the driver cannot do. */
export const validateInterface = (node: Node, kind: InterfaceKind, around = anyPorts): string | undefined => {
  refuseForeign(node);
  const check = checks[kind]?.[node[`${kind}_interface`] ?? ''];
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
