/**
 * What instance_info tells of a guest, whoever wrote it: Ingot's own compute service, Nova in any of its versions, an
 * operator (nova-driver.md 2). Any client may have put anything there, so what cannot be read is as good as not there.
 */
import * as z from 'zod';

import { imageIdOf } from '../domain/instance-image.ts';
import { createMetadata, type Fact, facts, type FixedIp, type FloatingIp, type GuestPort } from './metadata.ts';
import type { GuestMetadata } from './metadata.ts';

/** What the document of a machine is made of. */
export type Machine = {
  readonly uuid: string;
  readonly instance_uuid: string | null;
  readonly instance_name: string | null;
  readonly instance_info: Readonly<Record<string, unknown>>;
};

const ip = z.object({
  address: z.string().min(1),
  version: z.union([z.literal(4), z.literal(6)]),
  port_id: z.string().min(1).optional(),
});
type Ip = z.output<typeof ip>;
type Told = Ip & { readonly floating: readonly FloatingIp[] };

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** A list as JSON text, which Nova writes, or as it is. */
const decoded = (value: unknown): readonly unknown[] => {
  if (typeof value !== 'string') return listOf(value);
  try {
    return listOf(JSON.parse(value));
  } catch {
    return [];
  }
};

const ipsOf = (values: readonly unknown[]): (Ip & { readonly given: unknown })[] =>
  values.flatMap((given) => {
    const { data } = ip.safeParse(given);
    return data ? [{ ...data, given }] : [];
  });

const floating = ({ address, version }: Ip): FloatingIp => ({ address, type: 'floating', version });

const fixedOf = (info: Machine['instance_info']): Told[] =>
  ipsOf(decoded(info['fixed_ips'])).map(({ given, ...fixed }) => {
    const nested = (given as { floating_ips?: unknown }).floating_ips;
    return { ...fixed, floating: ipsOf(listOf(nested)).map(floating) };
  });

const fixed = ({ address, version, floating: floating_ips }: Told): FixedIp => ({
  address,
  type: 'fixed',
  version,
  floating_ips,
});

/** The ports that the addresses name. */
const portsNamed = (ips: readonly Ip[]): string[] => ips.flatMap(({ port_id }) => port_id ?? []);

/** The ports that are attached, those that have addresses first, in the order of these. */
const inOrder = (named: readonly string[], vifs: readonly string[] | null): string[] => [
  ...new Set([...named.filter((uuid) => vifs?.includes(uuid) ?? true), ...(vifs ?? [])]),
];

/**
 * The ports of the machine: its VIFs. Addresses of which nobody says whose they are, as Nova's, are those of the only
 * port; of several, they stand by themselves. `vifs` null: nobody keeps account of VIFs on this machine, so that its
 * ports are those that addresses name.
 */
const portsOf = (info: Machine['instance_info'], vifs: readonly string[] | null): GuestPort[] => {
  const all = fixedOf(info);
  const led = new Set(all.flatMap(({ floating: leading }) => leading.map(({ address }) => address)));
  const others = ipsOf(decoded(info['floating_ips'])).filter(({ address }) => !led.has(address));
  const attached = inOrder(portsNamed([...all, ...others]), vifs);
  const only = attached.length === 1 ? attached[0] : undefined;
  const portWith = (uuid: string | null, isIts: (told: Ip) => boolean): GuestPort => ({
    uuid,
    fixed_ips: all.filter(isIts).map(fixed),
    floating_ips: others.filter(isIts).map(floating),
  });
  const known = attached.map((uuid) =>
    portWith(uuid, ({ port_id }) => port_id === uuid || (port_id === undefined && uuid === only)),
  );
  const rest = portWith(null, ({ port_id }) => port_id === undefined && only === undefined);
  return rest.fixed_ips.length + rest.floating_ips.length > 0 ? [...known, rest] : known;
};

/** Text and number stand for each other: Nova writes numbers as text. Undefined for what is neither. */
const read = ({ schema }: Fact, value: unknown): string | number | undefined => {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const wanted = schema.safeParse(value).success ? value : typeof value === 'string' ? Number(value) : String(value);
  return String(value).trim() !== '' && schema.safeParse(wanted).success ? wanted : undefined;
};

const factsOf = (info: Machine['instance_info']): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries<Fact>(facts).flatMap(([name, fact]) => {
      // It says the size of the root disk if there is a flavor at all, and of another one only if that has a size.
      const implied = fact.unlessZero && info['root_gb'] !== undefined ? 0 : undefined;
      const value = read(fact, info[name]) ?? implied;
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** A URL is no image that anybody could look up by it, and may hold a password. */
const rootOf = ({ image_source: source }: Machine['instance_info']): GuestMetadata['root'] => {
  const uuid = imageIdOf(source);
  return uuid === undefined ? null : { type: 'image', uuid };
};

/** The metadata of the guest on a machine. `version`: of the service that tells it. */
export const metadataOf = (
  { uuid, instance_uuid, instance_name, instance_info: info }: Machine,
  vifs: readonly string[] | null,
  version: string,
): GuestMetadata =>
  createMetadata(
    {
      uuid: instance_uuid ?? uuid,
      package: version,
      ...(instance_name !== null && { display_name: instance_name }),
      ...factsOf(info),
      root: rootOf(info),
    },
    portsOf(info, vifs),
  );
