/** What the bodies take that make a server: POST /servers, and the rebuild of one (compute-api.md 3). */
import * as z from 'zod';

import { Invalid } from '../fault.ts';
import { fields } from '../fields.ts';
import { check, createSchema } from '../schema.ts';
import { bool, json, text, uuid } from '../values.ts';
import { accessAddresses, diskConfig, hostname, metadata, serverName, tags } from './server.ts';

/** An id, or a link that ends with one. */
const reference = z
  .string()
  .min(1)
  .transform((given) => given.replace(/\/$/, '').split('/').at(-1)!);

/** Base64 with blanks anywhere. No text is read twice, of whatever length: a stranger wrote it. */
export const base64Text = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/;

/** Most characters of user_data as it is sent. */
const maxUserData = 65_535;

const base64 = z.string().max(maxUserData).regex(base64Text, 'must be base64');

const address = z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address' });

/** One network card: of a network, with an address of it if one is named, or a port that is there already. */
const card = z
  .strictObject({
    uuid: uuid.nullish(),
    port: uuid.nullish(),
    fixed_ip: address.nullish(),
    tag: z.string().min(1).max(60).nullish(),
  })
  .refine(
    ({ uuid: network, port }) => (network ?? port ?? undefined) !== undefined,
    'must name a network (uuid) or a port',
  )
  .refine(({ port, fixed_ip: given }) => !port || !given, 'must not have fixed_ip with a port, which has its own');

const networks = z.union([z.enum(['auto', 'none']), z.array(card).max(64)], {
  error: 'must be auto, none, or a list of networks (uuid, fixed_ip) and ports (port)',
});

/** How some clients say that the root disk is written from the image; machines have no volumes to boot from. */
const imageDevice = z.strictObject(
  {
    boot_index: z.union([z.literal(0), z.literal('0').transform(() => 0)]),
    uuid,
    source_type: z.literal('image'),
    destination_type: z.literal('local').optional(),
    delete_on_termination: bool.optional(),
  },
  { error: 'must be the image alone: source_type image, destination_type local, boot_index 0. There are no volumes' },
);

/** Servers of one request. Each is made, and its password sealed, before the first of them is stored. */
const mostServers = 1000;

const countError = `must be a whole number from 1 to ${mostServers}`;
const count = z.int(countError).min(1, countError).max(mostServers, countError);

const howMany = z.union(
  [
    count,
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number)
      .pipe(count),
  ],
  { error: countError },
);

/** What both take. */
const shared = {
  ...accessAddresses,
  metadata: { access: 'create', schema: metadata, default: {}, doc: 'What its guest reads as `meta`.' },
  adminPass: {
    access: 'create',
    schema: text(255),
    doc: 'Password for its guest; one is made if none is given. Never stored.',
  },
  diskConfig: { access: 'create', extension: 'OS-DCF', schema: diskConfig, doc: 'Kept and shown.' },
  personality: { access: 'create', until: 56, schema: z.array(json), doc: 'Files for its guest.' },
  trusted_image_certificates: {
    access: 'create',
    since: 63,
    schema: z.null('must not be given: images are checked by checksum here'),
    doc: 'Not there: images are checked by checksum.',
  },
  hostname: {
    access: 'create',
    since: 90,
    schema: hostname,
    doc: 'What its guest is called; else it follows from the name.',
  },
} as const;

/** What POST /servers takes in `server`. */
export const newServer = fields({
  name: { access: 'create', schema: serverName, required: true, doc: 'What it is called; not unique.' },
  imageRef: {
    access: 'create',
    schema: z.union([z.literal(''), reference.pipe(uuid)], { error: 'must be the UUID of an image' }),
    doc: 'Image to write.',
  },
  flavorRef: { access: 'create', schema: reference, required: true, doc: 'Flavor, by its id or its address.' },
  networks: {
    access: 'create',
    schema: networks,
    doc: 'Its network cards; needed from 2.37 on, where auto and none are possible.',
  },
  config_drive: { access: 'create', schema: bool, doc: 'Whether its guest gets a configdrive.' },
  user_data: { access: 'create', schema: base64, doc: 'What its guest runs at its first start, in base64.' },
  key_name: { access: 'create', schema: text(255), doc: 'Key pair whose public key its guest gets.' },
  availability_zone: { access: 'create', schema: text(255), doc: 'Where its machine shall be.' },
  min_count: { access: 'create', schema: howMany, default: 1, doc: 'How many servers at least.' },
  max_count: { access: 'create', schema: howMany, doc: 'How many at most; default: min_count.' },
  return_reservation_id: {
    access: 'create',
    schema: bool,
    default: false,
    doc: 'Answer the id of the request instead of a server.',
  },
  security_groups: {
    access: 'create',
    schema: z.array(z.strictObject({ name: text(255) })),
    default: [],
    doc: 'Kept and shown; no machine is filtered by them.',
  },
  block_device_mapping_v2: {
    access: 'create',
    schema: z.array(imageDevice).max(1),
    doc: 'The image, in another form.',
  },
  description: { access: 'create', since: 19, schema: z.string().max(255), doc: 'Free text.' },
  tags: { access: 'create', since: 52, schema: tags, doc: 'Words that lists are filtered by.' },
  ...shared,
});

/** What the action rebuild takes. */
export const rebuilt = fields({
  imageRef: { access: 'create', schema: reference.pipe(uuid), required: true, doc: 'Image to write.' },
  name: { access: 'create', schema: serverName, doc: 'A new name.' },
  preserve_ephemeral: {
    access: 'create',
    schema: bool,
    default: false,
    doc: 'Whether the ephemeral partition stays as it is.',
  },
  description: { access: 'create', since: 19, schema: z.string().max(255), doc: 'Free text.' },
  key_name: { access: 'create', since: 54, schema: text(255), doc: 'Another key pair; null: none.' },
  user_data: { access: 'create', since: 57, schema: base64, doc: 'Other user data; null: none.' },
  ...shared,
});

/** What the scheduler is told besides; what it does not know is for others. */
const hints = z.looseObject({ group: uuid.optional() });

/** What a client asks for in one POST. */
export type ServerWish = {
  readonly server: Readonly<Record<string, unknown>>;
  readonly hints: z.output<typeof hints>;
  /** The image, however it was named. */
  readonly image: string;
  readonly min_count: number;
  readonly max_count: number;
};

const envelope = z.strictObject({
  server: z.unknown(),
  'os:scheduler_hints': hints.optional(),
  'OS-SCH-HNT:scheduler_hints': hints.optional(),
});

const countsOf = ({ min_count: least, max_count: most }: Readonly<Record<string, unknown>>) => {
  const min = (least ?? 1) as number;
  const max = (most ?? min) as number;
  if (min > max) throw Invalid('min_count must be <= max_count');
  return { min_count: min, max_count: max };
};

const imageOf = ({ imageRef, block_device_mapping_v2: devices }: Readonly<Record<string, unknown>>): string => {
  const [device] = (devices ?? []) as readonly z.output<typeof imageDevice>[];
  const named = [imageRef, device?.uuid].filter((image) => image !== undefined && image !== null && image !== '');
  if (named.length === 0) throw Invalid('imageRef is missing: a server boots from an image, there are no volumes.');
  if (new Set(named).size > 1) throw Invalid('imageRef and block_device_mapping_v2 name different images.');
  return named[0] as string;
};

/**
 * What a POST /servers asks for at 2.`version`: the values of `newServer` that were given, null being as good as absent.
 * Throws Invalid (400) for what is wrong with it by itself.
 */
export const readNewServer = (body: unknown, version: number): ServerWish => {
  const { server: given, ...rest } = check(envelope, body);
  const values = check(z.object({ server: createSchema(newServer, version) }), { server: given }).server;
  const server = Object.fromEntries(Object.entries(values).filter(([, value]) => (value ?? undefined) !== undefined));
  if (version >= 37 && server['networks'] === undefined) throw Invalid('networks is missing: auto, none, or a list.');
  if (version < 37 && typeof server['networks'] === 'string') throw Invalid('networks must be a list below 2.37.');
  return {
    server,
    hints: rest['os:scheduler_hints'] ?? rest['OS-SCH-HNT:scheduler_hints'] ?? {},
    image: imageOf(server),
    ...countsOf(server),
  };
};
