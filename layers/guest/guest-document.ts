/**
 * The guest document (guest-metadata.md 2): what libvirt guests have in their domain, for machines, which have no
 * hypervisor. It tells operators who has a machine and which addresses it has, without any API.
 */
import { type Fact, type FixedIp, type FloatingIp, type GuestMetadata, type GuestPort, facts } from './metadata.ts';
import { type Element, element, writeXml } from './xml.ts';

/** 1.0 is that of the seed, with the ports; 1.1 has flavor id, extra specs and image besides. */
export const documentSchemas = ['1.0', '1.1'] as const;
export type DocumentSchema = (typeof documentSchemas)[number];

const namespace = (schema: DocumentSchema) => `http://openstack.org/xmlns/libvirt/nova/${schema}`;
const tag = (name: string) => `nova:${name}`;
const nova = (name: string, ...rest: [Record<string, string>?, Element['holds']?]) => element(tag(name), ...rest);

/** `2020-10-23 05:36:41` in UTC; undefined for what is no time, which instance_info may hold. */
const timeOf = (iso: string): string | undefined => {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().slice(0, 19).replace('T', ' ');
};

/** How a fact is written, if not as it is. */
const spelled: { readonly [name: string]: (value: string) => string | undefined } = { created_at: timeOf };

/** Elements that are growing; text and attributes come in any order. */
type Growing = { name: string; attributes: Record<string, string>; text: string; children: Growing[] };

const grown = ({ name, attributes, text, children }: Growing): Element =>
  nova(name, attributes, children.length > 0 ? children.map(grown) : text);

const seedling = (name: string): Growing => ({ name, attributes: {}, text: '', children: [] });

const childOf = (parent: Growing, name: string): Growing => {
  const found = parent.children.find((child) => child.name === name);
  if (found) return found;
  const child = seedling(name);
  parent.children.push(child);
  return child;
};

/** Puts a fact where its row says. */
const plant = (root: Growing, path: string, value: string): void => {
  const [elements = '', attribute] = path.split('@');
  const at = elements.split('/').reduce(childOf, root);
  if (attribute === undefined) at.text = value;
  else at.attributes[attribute] = value;
};

/** The elements of all facts that are known and that this schema has. */
const factElements = (meta: GuestMetadata, schema: DocumentSchema): Element[] => {
  const root = seedling('instance');
  for (const [name, { document, newer }] of Object.entries<Fact>(facts)) {
    const value = meta[name as keyof typeof facts];
    const written = value === null ? undefined : (spelled[name] ?? String)(String(value));
    if (written !== undefined && !(newer && schema === '1.0')) plant(root, document, written);
  }
  return root.children.map(grown);
};

const byName = (outer: string, inner: string, values: Readonly<Record<string, string>>): Element =>
  nova(
    outer,
    {},
    Object.entries(values).map(([name, value]) => nova(inner, { name }, value)),
  );

const imageElement = ({ image }: GuestMetadata): Element[] => {
  if (!image) return [];
  const known = {
    containerFormat: image.container_format,
    diskFormat: image.disk_format,
    minDisk: image.min_disk,
    minRam: image.min_ram,
  };
  const formats = Object.entries(known).flatMap(([name, value]) =>
    value === null ? [] : [nova(name, {}, String(value))],
  );
  return [nova('image', { uuid: image.uuid }, [...formats, byName('properties', 'property', image.properties)])];
};

/** Of a port nobody knows: the addresses alone. */
const portElement = ({ uuid, fixed_ips: fixed, floating_ips: floating }: GuestPort): Element => {
  const all: (FixedIp | FloatingIp)[] = [...fixed, ...fixed.flatMap(({ floating_ips }) => floating_ips), ...floating];
  const ip = ({ type, address, version }: FixedIp | FloatingIp) =>
    nova('ip', { type, address, ipVersion: String(version) });
  return nova('port', { uuid: uuid ?? '' }, all.map(ip));
};

const withExtraSpecs = (flavor: Element, { extra_specs: specs }: GuestMetadata): Element => ({
  ...flavor,
  holds: [...(typeof flavor.holds === 'string' ? [] : flavor.holds), byName('extraSpecs', 'extraSpec', specs)],
});

/** The order of elements below the root. */
const order = ['package', 'name', 'creationTime', 'flavor', 'image', 'owner', 'root', 'ports'].map(tag);

/**
 * The document, byte for byte the same for the same metadata. What is not known is left out; of floating addresses
 * those come first that lead to an address of the port.
 */
export const renderGuestDocument = (meta: GuestMetadata, schema: DocumentSchema = '1.0'): string => {
  const all = [
    nova('package', { version: meta.package }),
    ...factElements(meta, schema).map((at) =>
      schema === '1.1' && at.name === tag('flavor') ? withExtraSpecs(at, meta) : at,
    ),
    ...(schema === '1.1' ? imageElement(meta) : []),
    ...(meta.root ? [nova('root', { type: meta.root.type, uuid: meta.root.uuid })] : []),
    nova('ports', {}, meta.ports.map(portElement)),
  ];
  const sorted = all.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return writeXml(nova('instance', { 'xmlns:nova': namespace(schema) }, sorted));
};
