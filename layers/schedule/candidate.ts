/** A node as the scheduler looks at it: what it reads of what the Bare Metal API shows. */
import type { Node } from '../domain/node.ts';
import { isObject } from '../domain/values.ts';

/** What a list of candidates is asked for. */
const candidateFields = [
  'uuid',
  'driver',
  'resource_class',
  'traits',
  'properties',
  'conductor_group',
  'maintenance',
  'power_state',
  'provision_state',
  'instance_uuid',
  'reservation',
] as const satisfies (keyof Node)[];

export type Candidate = Readonly<Pick<Node, (typeof candidateFields)[number]>>;

/** What of the machine flavors are compared with; what is missing or no whole number counts as 0. */
export type Size = { readonly cpus: number; readonly memory_mb: number; readonly local_gb: number };

const whole = (value: unknown): number => {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : 0;
};

/** The size of a machine, from the properties of its node. */
export const sizeOf = ({ properties }: Pick<Candidate, 'properties'>): Size => ({
  cpus: whole(properties['cpus']),
  memory_mb: whole(properties['memory_mb']),
  local_gb: whole(properties['local_gb']),
});

type Capabilities = Readonly<Record<string, unknown>>;

/** `k1:v1,k2:v2`; what is no pair is left out, for the machine may have others that are (nova-driver.md 11). */
const pairsOf = (text: string): Capabilities =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(pair) ?? [];
      return name.trim() === '' || value.trim() === '' ? [] : [[name.trim(), value.trim()]];
    }),
  );

/** Its capabilities, cpu_arch among them. */
const capabilitiesOf = ({ properties }: Pick<Candidate, 'properties'>): Capabilities => {
  const { capabilities: given, cpu_arch: arch } = properties;
  const named = isObject(given) ? given : pairsOf(typeof given === 'string' ? given : '');
  return { ...named, ...(typeof arch === 'string' && arch !== '' && { cpu_arch: arch }) };
};

/** What Nova's scheduler knows of a host besides; flavors may ask for it as for a capability (exact-filters.md 1). */
const attributesOf = (node: Candidate): Capabilities => {
  const { cpus, memory_mb: memory, local_gb: disk } = sizeOf(node);
  return {
    vcpus_total: cpus,
    vcpus_used: 0,
    free_ram_mb: memory,
    total_usable_ram_mb: memory,
    free_disk_mb: disk * 1024,
    total_usable_disk_gb: disk,
    hypervisor_type: 'ironic',
    hypervisor_hostname: node.uuid,
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** One level deeper: objects are walked through, and texts that are JSON. */
const inside = (value: unknown, name: string): unknown => {
  const object = typeof value === 'string' ? parsed(value) : value;
  return isObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
};

/**
 * The capability of this path (`name`, or `name:deeper`) as a text; undefined if the node has none. What Nova knows of a
 * host comes before what the node says itself.
 */
export const capabilityOf = (node: Candidate, path: string): string | undefined => {
  const value = path.split(':').reduce<unknown>(inside, { ...capabilitiesOf(node), ...attributesOf(node) });
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};
