/** The server as a table (compute-api.md 3): what is stored of one, and what clients see of it. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { json, text, timestamp, uuid, word } from '../values.ts';
import type { ServerKeeping } from './server-keeping.ts';
import { taskStates, vmStates } from './server-states.ts';
import { microTimestamp } from './times.ts';

/** Printable, with no blank at either end. */
export const serverName = z
  .string()
  .max(255)
  .regex(/^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u, 'must have 1 to 255 printable characters and no blank at either end');

/** Keys and values; how many, a quota says. */
export const metadata = z.record(
  z
    .string()
    .max(255)
    .regex(/^[a-zA-Z0-9\-_:. ]+$/, 'must have 1 to 255 letters, digits, - _ : . and blanks'),
  z.string().max(255),
);

/** Most tags of a server. */
const maxTags = 50;

/** Each once, and none with what separates them in queries and paths. */
export const tags = z
  .array(
    z
      .string()
      .min(1)
      .max(60)
      .regex(/^[^,/]*$/, 'must have neither , nor /'),
  )
  .max(maxTags)
  .transform((given) => [...new Set(given)]);

/** Kept and shown; an image is always written to the whole disk that it asks for. */
export const diskConfig = word(['AUTO', 'MANUAL']);

const ipv4 = z.union([z.literal(''), z.ipv4()], { error: 'must be an IPv4 address' });
const ipv6 = z.union([z.literal(''), z.ipv6()], { error: 'must be an IPv6 address' });

/** Of the two addresses that a client may note down by hand. */
export const accessAddresses = {
  accessIPv4: { access: 'update', schema: ipv4, default: '', doc: 'An IPv4 address to reach it by; only noted down.' },
  accessIPv6: { access: 'update', schema: ipv6, default: '', doc: 'An IPv6 address to reach it by; only noted down.' },
} as const;

/** What its guest is called; since 2.90 it may be chosen. */
export const hostname = z
  .string()
  .min(2)
  .max(63)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]$/, 'must have letters, digits and - only, and no - at either end');

/** The flavor as it was when the server was made: one that is deleted meanwhile changes nothing. */
const flavorSnapshot = z.strictObject({
  id: z.string(),
  name: z.string(),
  vcpus: z.int(),
  ram: z.int(),
  disk: z.int(),
  ephemeral: z.int(),
  swap: z.int(),
  extra_specs: z.record(z.string(), z.string()),
});

/** From here on a server tells its flavor itself. */
export const flavorInside = 47;

/** How another thing is told of: by its id and where it is. */
const linked = z.object({ id: z.string(), links: z.array(z.object({ rel: z.string(), href: z.url() })) });

const shownFlavor = flavorSnapshot.omit({ id: true, name: true }).extend({ original_name: z.string() });

const fault = z.strictObject({
  code: z.int(),
  created: timestamp,
  message: z.string(),
  details: z.string().optional(),
});

const computed = <S extends z.ZodType>(schema: S, doc: string) =>
  ({ access: 'read', schema, computed: true, doc }) as const;

const usage = { access: 'read', extension: 'OS-SRV-USG', schema: timestamp, shownAs: microTimestamp } as const;

/** What its tenant sees. PUT takes what is `update`. */
export const server = fields({
  id: { ...computed(uuid, 'UUID; the instance_uuid of its node.'), summary: true },
  name: { access: 'update', schema: serverName, required: true, summary: true, doc: 'What it is called; not unique.' },
  status: computed(z.string(), 'The word for vm_state and task_state together.'),
  tenant_id: { access: 'read', schema: text(255), required: true, index: true, doc: 'Project it belongs to.' },
  user_id: { access: 'read', schema: text(255), required: true, doc: 'Who made it.' },
  created: computed(timestamp, 'When it was asked for.'),
  updated: computed(timestamp, 'When it was last changed.'),
  hostId: computed(
    z.string(),
    'A digest of project and node: whether two of its servers share one. Empty before there is a node.',
  ),
  addresses: computed(json, 'By network: addresses, their version, kind and MAC.'),
  image: {
    access: 'read',
    schema: z.string(),
    shownAs: linked,
    required: true,
    doc: 'The image that was written, by its UUID.',
  },
  flavor: {
    access: 'read',
    schema: flavorSnapshot,
    shownAs: (version) => (version < flavorInside ? linked : shownFlavor),
    required: true,
    doc: 'The flavor as it was then.',
  },
  metadata: {
    access: 'read',
    schema: metadata,
    default: {},
    doc: 'Keys and values of its tenant, which its guest reads as `meta`.',
  },
  ...accessAddresses,
  config_drive: {
    access: 'read',
    schema: z.boolean(),
    shownAs: z.enum(['True', '']),
    default: true,
    doc: 'Whether its guest gets a configdrive.',
  },
  key_name: { access: 'read', schema: text(255), doc: 'Key pair whose public key its guest gets.' },
  progress: computed(z.int(), '0 while something is done with it, else 100; no machine tells more.'),
  security_groups: {
    access: 'read',
    schema: z.array(z.strictObject({ name: z.string() })),
    default: [],
    doc: 'Kept and shown; no machine is filtered by them.',
  },
  diskConfig: { access: 'update', extension: 'OS-DCF', schema: diskConfig, default: 'MANUAL', doc: 'Kept and shown.' },
  availability_zone: {
    access: 'read',
    extension: 'OS-EXT-AZ',
    schema: z.string(),
    default: '',
    doc: 'Zone of its node.',
  },
  vm_state: {
    access: 'read',
    extension: 'OS-EXT-STS',
    schema: z.enum(vmStates),
    default: 'building',
    doc: 'What it is.',
  },
  task_state: {
    access: 'read',
    extension: 'OS-EXT-STS',
    schema: z.enum(taskStates),
    doc: 'What is being done with it; null: nothing.',
  },
  power_state: {
    access: 'read',
    extension: 'OS-EXT-STS',
    schema: z.literal([0, 1, 4]),
    default: 0,
    doc: '0 unknown, 1 running, 4 shut down.',
  },
  launched_at: { ...usage, doc: 'When it was first active.' },
  terminated_at: { ...usage, doc: 'When it was deleted.' },
  volumes_attached: { ...computed(z.array(json), 'Always empty.'), extension: 'os-extended-volumes' },
  fault: { access: 'read', schema: fault, doc: 'Why it is in ERROR; details are for administrators.' },
  locked: { ...computed(z.boolean(), 'Whether somebody has locked it against changes.'), since: 9 },
  description: { access: 'update', since: 19, schema: z.string().max(255), doc: 'Free text.' },
  tags: { access: 'read', since: 26, schema: tags, default: [] as string[], doc: 'Words that lists are filtered by.' },
  trusted_image_certificates: {
    access: 'read',
    since: 63,
    schema: z.null(),
    doc: 'Always null: images are checked by checksum.',
  },
  server_groups: {
    access: 'read',
    since: 71,
    schema: z.array(uuid),
    default: [] as string[],
    doc: 'UUID of the server group that it was made in.',
  },
  locked_reason: { access: 'read', since: 73, schema: z.string().max(255), doc: 'What who locked it said.' },
  hostname: {
    access: 'update',
    extension: 'OS-EXT-SRV-ATTR',
    since: 90,
    schema: hostname,
    shownAs: z.string(),
    required: true,
    doc: 'What its guest is called.',
  },
  pinned_availability_zone: {
    access: 'read',
    since: 96,
    schema: text(255),
    doc: 'The zone that was asked for; null: none was.',
  },
});

const attribute = { extension: 'OS-EXT-SRV-ATTR' } as const;

/** What administrators see besides. */
export const hostAttributes = fields({
  host: { ...attribute, ...computed(text(255), 'Conductor that its node belongs to.') },
  instance_name: { ...attribute, ...computed(z.string(), 'What a hypervisor would call it.') },
  hypervisor_hostname: { ...attribute, ...computed(uuid, 'UUID of its node.') },
  hostname: { ...attribute, ...computed(z.string(), 'What its guest is called.'), since: 3, until: 89 },
  reservation_id: {
    access: 'read',
    ...attribute,
    since: 3,
    schema: z.string(),
    required: true,
    doc: 'Of the request that made it, and others with it.',
  },
  launch_index: {
    access: 'read',
    ...attribute,
    since: 3,
    schema: z.int(),
    default: 0,
    doc: 'Its number among those.',
  },
  kernel_id: { ...attribute, ...computed(z.string(), 'Always empty.'), since: 3 },
  ramdisk_id: { ...attribute, ...computed(z.string(), 'Always empty.'), since: 3 },
  root_device_name: { ...attribute, ...computed(z.null(), 'Always null: the agent chooses the disk.'), since: 3 },
  user_data: { access: 'read', ...attribute, since: 3, schema: z.string(), doc: 'Base64, as it was given.' },
  host_status: { ...computed(z.string(), 'UP for one that has a node, else empty.'), since: 16 },
});

/** A file for its guest: `contents` in base64. */
const serverFile = z.strictObject({ path: z.string(), contents: z.string() });

/** Kept apart, because they are large and lists do not need them. */
export const largeParts = fields({
  personality: {
    access: 'read',
    schema: z.array(serverFile),
    doc: 'Files for its guest.',
  },
});

export type Server = RecordOf<typeof server> &
  RecordOf<Omit<typeof hostAttributes, 'hostname'>> &
  RecordOf<typeof largeParts> &
  ServerKeeping;

const maxHostname = 63;

/** The hostname that follows from the name of a server (`id`: its UUID): of any language only what a hostname may have. */
export const hostnameOf = (name: string, id: string): string => {
  const words = name
    .replaceAll(/[ _.]/g, '-')
    .replaceAll(/[^\w-]/g, '')
    .toLowerCase();
  // Twice, because cutting it may leave a - at the end.
  const cut = words.replace(/^-+/, '').slice(0, maxHostname).replace(/-+$/, '');
  return cut === '' ? `Server-${id}` : cut;
};

/** How Nova names what was asked for in one request, out of what is drawn for it. */
export const reservationId = (ulid: string): string => `r-${ulid.slice(-8).toLowerCase()}`;
