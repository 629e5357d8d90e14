/** Capabilities: `k:v,k2:v2` in properties, an object or its JSON text in instance_info (ironic-deploy.md 1.2). */
import { Invalid } from './fault.ts';
import type { Node } from './node.ts';
import { isObject } from './values.ts';

type Capabilities = Readonly<Record<string, unknown>>;

const allowed: { readonly [name: string]: readonly string[] } = {
  boot_mode: ['bios', 'uefi'],
  secure_boot: ['true', 'false'],
  disk_label: ['msdos', 'gpt'],
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A boolean and its text are the same here, in any case of letters. */
const plain = (value: unknown): string => JSON.stringify(value).replaceAll('"', '').toLowerCase();

const asObject = (value: unknown): unknown => (typeof value === 'string' ? parseJson(value) : (value ?? {}));

/** The capabilities an instance asks for. Throws Invalid if they are neither an object nor its JSON text. */
export const instanceCapabilities = (value: unknown): Capabilities => {
  const found = asObject(value);
  if (!isObject(found)) throw Invalid('instance_info.capabilities must be a JSON object or its text.');
  return found;
};

/** The capabilities a machine has: `name:value` pairs separated by commas. Throws Invalid for a part without a colon. */
export const machineCapabilities = (value: unknown): Capabilities => {
  if (isObject(value)) return value;
  if ((value ?? '') === '') return {};
  if (typeof value !== 'string') throw Invalid('properties.capabilities must be a text like "boot_mode:uefi".');
  const pairs = value.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon < 1) throw Invalid(`properties.capabilities: "${part}" must be name:value.`);
    return [part.slice(0, colon).trim(), part.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
};

/** Whether the instance asks for secure boot, by a boolean or its text; capabilities that nobody can read ask for nothing. */
export const wantsSecureBoot = ({ instance_info: info }: Pick<Node, 'instance_info'>): boolean => {
  const found = asObject(info['capabilities']);
  return isObject(found) && plain(found['secure_boot'] ?? null) === 'true';
};

/**
 * The boot mode somebody asked for: instance before machine (ironic-deploy.md 2); undefined if nobody did. Who asks for
 * secure boot has asked for uefi.
 */
export const wantedBootMode = (node: Pick<Node, 'instance_info' | 'properties'>): 'uefi' | 'bios' | undefined => {
  if (wantsSecureBoot(node)) return 'uefi';
  const wanted =
    instanceCapabilities(node.instance_info['capabilities'])['boot_mode'] ??
    node.instance_info['deploy_boot_mode'] ??
    machineCapabilities(node.properties['capabilities'])['boot_mode'];
  return wanted === 'uefi' || wanted === 'bios' ? wanted : undefined;
};

const checkValues = (where: string, capabilities: Capabilities): void => {
  for (const [name, values] of Object.entries(allowed)) {
    const given = capabilities[name] ?? null;
    if (given !== null && !values.includes(plain(given))) {
      throw Invalid(`${where}.${name} must be one of ${values.join(', ')}.`);
    }
  }
};

/** Checks both places against the allowed values and against each other. Throws Invalid naming the key. */
export const checkCapabilities = (node: {
  properties: Readonly<Record<string, unknown>>;
  instance_info: Readonly<Record<string, unknown>>;
}): void => {
  const machine = machineCapabilities(node.properties['capabilities']);
  const instance = instanceCapabilities(node.instance_info['capabilities']);
  checkValues('properties.capabilities', machine);
  checkValues('instance_info.capabilities', instance);
  const [wanted, has] = [instance['boot_mode'] ?? null, machine['boot_mode'] ?? null];
  if (wanted !== null && has !== null && wanted !== has) {
    throw Invalid('instance_info.capabilities.boot_mode and properties.capabilities.boot_mode contradict each other.');
  }
  if (wantsSecureBoot(node) && [wanted, has, node.instance_info['deploy_boot_mode']].includes('bios')) {
    throw Invalid('instance_info.capabilities.secure_boot needs boot mode uefi, and bios is asked for.');
  }
};
