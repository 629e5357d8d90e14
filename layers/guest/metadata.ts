/**
 * What is known of a guest, whoever asks for it: the one neutral object that is made where a server is deployed.
 * instance_info (`instance-info.ts`), the guest document (`guest-document.ts`) and the configdrive are made of it, so they
 * cannot tell different things.
 */
import * as z from 'zod';

const text = z.string();
const amount = z.number().min(0);

/** One plain fact. It has the name that it has in instance_info (nova-driver.md 2). */
export type Fact = {
  readonly schema: typeof text | typeof amount;
  /** Where the guest document tells it: an element below the root, or the attribute of one (guest-metadata.md 2). */
  readonly document: string;
  /** Schema 1.0 of the guest document does not have it. */
  readonly newer?: true;
  /** instance_info has it only if it is more than 0. */
  readonly unlessZero?: true;
  /** Deploys of the past did not write it into instance_info; scripts/backfill-instance-metadata does it afterwards. */
  readonly backfilled?: true;
  readonly doc: string;
};

/** In the order of the guest document. Who and what is named comes before its name. */
export const facts = {
  display_name: { schema: text, document: 'name', backfilled: true, doc: 'Name of the instance.' },
  created_at: {
    schema: text,
    document: 'creationTime',
    backfilled: true,
    doc: 'When the instance was created (ISO 8601); stays.',
  },
  flavor_name: { schema: text, document: 'flavor@name', backfilled: true, doc: 'Name of its flavor.' },
  flavor_id: { schema: text, document: 'flavor@id', backfilled: true, newer: true, doc: 'ID of its flavor.' },
  memory_mb: { schema: amount, document: 'flavor/memory', doc: 'Memory that the flavor asks for, MiB.' },
  root_gb: { schema: amount, document: 'flavor/disk', doc: 'Root disk that the flavor asks for, GiB.' },
  swap_mb: { schema: amount, document: 'flavor/swap', doc: 'Swap that the flavor asks for, MiB.' },
  ephemeral_gb: {
    schema: amount,
    document: 'flavor/ephemeral',
    unlessZero: true,
    doc: 'Ephemeral disk that the flavor asks for, GiB.',
  },
  vcpus: { schema: amount, document: 'flavor/vcpus', doc: 'Processors that the flavor asks for.' },
  user_id: {
    schema: text,
    document: 'owner/user@uuid',
    backfilled: true,
    doc: 'ID of the user who made the instance.',
  },
  user_name: {
    schema: text,
    document: 'owner/user',
    backfilled: true,
    doc: 'Name of that user; N/A if it is not known.',
  },
  project_id: {
    schema: text,
    document: 'owner/project@uuid',
    backfilled: true,
    doc: 'ID of the project that has the instance.',
  },
  project_name: {
    schema: text,
    document: 'owner/project',
    backfilled: true,
    doc: 'Name of that project; N/A if it is not known.',
  },
} as const satisfies { readonly [name: string]: Fact };

export type FactName = keyof typeof facts;

/** Null: not known. */
type Facts = { readonly [N in FactName]: z.output<(typeof facts)[N]['schema']> | null };

const shapeOfFacts = Object.fromEntries(
  Object.entries<Fact>(facts).map(([name, { schema }]) => [name, schema.nullable()]),
) as { readonly [N in FactName]: z.ZodNullable<(typeof facts)[N]['schema']> };

const version = z.union([z.literal(4), z.literal(6)]);
const floatingIp = z.strictObject({ address: text, type: z.literal('floating'), version });
const fixedIp = z.strictObject({
  address: text,
  type: z.literal('fixed'),
  version,
  /** Those that lead to it. */
  floating_ips: z.array(floatingIp).readonly(),
});

/** An address of a guest. IPv6 stays as it was written. */
export type FloatingIp = z.output<typeof floatingIp>;
export type FixedIp = z.output<typeof fixedIp>;

/** A port with its addresses, by subnet. `uuid` null: nobody says which port these addresses are of. */
const port = z.strictObject({
  uuid: text.nullable(),
  fixed_ips: z.array(fixedIp).readonly(),
  /** Those of which nobody says to which of the fixed ones they lead. */
  floating_ips: z.array(floatingIp).readonly(),
});

export type GuestPort = z.output<typeof port>;

/** `uuid` is empty for a server that has its root on a volume. */
const image = z.strictObject({
  uuid: text,
  container_format: text.nullable(),
  disk_format: text.nullable(),
  min_disk: amount.nullable(),
  min_ram: amount.nullable(),
  properties: z.record(z.string(), z.string()),
});

const guestMetadata = z.strictObject({
  /** Of the instance, in Nova's words the server. */
  uuid: text.min(1),
  ...shapeOfFacts,
  display_name: text.min(1),
  extra_specs: z.record(z.string(), z.string()),
  image: image.nullable(),
  root: z.strictObject({ type: z.enum(['image', 'volume']), uuid: text.min(1) }).nullable(),
  ports: z.array(port).readonly(),
  /** Version of the service that tells all this. */
  package: text,
});

export type GuestMetadata = z.output<typeof guestMetadata>;

/** What is known of an instance besides its ports; what is left out is not known. */
export type Known = Pick<GuestMetadata, 'uuid' | 'package'> &
  Partial<Facts> &
  Partial<Pick<GuestMetadata, 'extra_specs' | 'image' | 'root'>>;

const noFacts = Object.fromEntries(Object.keys(facts).map((name) => [name, null])) as Facts;

/** What stands for the name of a user or project that only its ID is known of. */
const unknownName = 'N/A';

const nameOf = (id: string | null | undefined, name: string | null | undefined): string | null =>
  (id ?? null) === null ? null : (name ?? unknownName);

/**
 * The metadata of an instance with these ports, complete: an instance without a name is called by its UUID.
 * Throws ZodError for what is none, a mistake of the caller's.
 */
export const createMetadata = (known: Known, ports: readonly GuestPort[]): GuestMetadata =>
  guestMetadata.parse({
    extra_specs: {},
    image: null,
    root: null,
    ...noFacts,
    ...known,
    display_name: known.display_name || known.uuid,
    user_name: nameOf(known.user_id, known.user_name),
    project_name: nameOf(known.project_id, known.project_name),
    ports,
  });
