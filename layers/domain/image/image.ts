/** The image as a table (compute-api.md 9): what a disk is made of, or a kernel or a ramdisk that goes with it. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { timestamp, uuid, word } from '../values.ts';
import type { Members } from './member.ts';
import { imageStatuses, type ImageStatus } from './states.ts';

export const visibilities = ['community', 'public', 'private', 'shared'] as const;
const diskFormats = ['ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop', 'gpt'] as const;
const containerFormats = ['ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed'] as const;

/** DynamoDB has numbers up to here, and no machine has as much. */
const amount = z.int().min(0).max(2_147_483_647);

/** Of each there are so many at most. Each member is an index entry, and all go in one transaction with the image. */
export const most = { tags: 128, properties: 128, members: 64 } as const;

/** Bytes of the names and values of all properties: an image is one item of the table. */
export const mostPropertyBytes = 64 * 1024;

export const image = fields({
  id: { access: 'create', schema: uuid, computed: true, doc: 'UUID of the image.' },
  name: { access: 'update', schema: z.string().max(255), summary: true, doc: 'Free name; several may have it.' },
  status: {
    access: 'read',
    schema: word(imageStatuses),
    default: 'queued',
    summary: true,
    doc: 'Whether there is data; servers are made of active ones.',
  },
  visibility: {
    access: 'update',
    schema: word(visibilities),
    default: 'shared',
    summary: true,
    index: true,
    doc: 'Who sees it: its project, the members of it too, or everybody. Only administrators make one public.',
  },
  owner: {
    access: 'update',
    schema: z.string().min(1).max(255),
    summary: true,
    index: true,
    doc: 'Project that it belongs to; administrators may name another.',
  },
  protected: { access: 'update', schema: z.boolean(), default: false, doc: 'It can not be deleted.' },
  os_hidden: {
    access: 'update',
    schema: z.boolean(),
    default: false,
    summary: true,
    doc: 'Left out of lists that do not ask for hidden ones.',
  },
  tags: {
    access: 'update',
    schema: z
      .array(z.string().min(1).max(255))
      .transform((tags) => [...new Set(tags)])
      .refine((tags) => tags.length <= most.tags, `must have at most ${most.tags} entries`),
    default: [],
    doc: 'Words to find it by.',
  },
  min_disk: { access: 'update', schema: amount, default: 0, doc: 'GB of disk that a machine needs for it.' },
  min_ram: { access: 'update', schema: amount, default: 0, doc: 'MB of memory that a machine needs for it.' },
  disk_format: {
    access: 'update',
    schema: word(diskFormats),
    doc: 'Form of the data. Agents write raw, qcow2 and iso.',
  },
  container_format: {
    access: 'update',
    schema: word(containerFormats),
    doc: 'What is around the data; bare: nothing.',
  },
  size: { access: 'read', schema: z.int(), doc: 'Bytes of the data; null for data at a URL.' },
  virtual_size: { access: 'read', schema: z.int(), doc: 'Always null: nobody looks into the data.' },
  checksum: { access: 'read', schema: z.string(), doc: 'MD5 of the data, if it was seen.' },
  os_hash_algo: { access: 'read', schema: z.string(), doc: 'Which hash os_hash_value is.' },
  os_hash_value: {
    access: 'read',
    schema: z.string(),
    doc: 'Hash of the data, which the agent checks before it says that the disk is written.',
  },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was created.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  self: { access: 'read', schema: z.string(), computed: true, doc: 'Path of the image.' },
  file: { access: 'read', schema: z.string(), computed: true, doc: 'Path of its data.' },
  schema: { access: 'read', schema: z.string(), computed: true, doc: 'Path of its schema.' },
});

/**
 * Where the data is: at a URL from which agents fetch it, or an object of ours. `checksum_url`: its checksum is in a file
 * there, which the agent reads.
 */
export type Source = { readonly url: string; readonly checksum_url?: string } | { readonly object: string };

/**
 * Data on its way: the object that is being stored since `at` (ms). What is known of it before it is there is in `digest`.
 */
export type Upload = {
  readonly object: string;
  readonly at: number;
  readonly digest?: Digest;
  readonly size?: number;
};

/** What is known of data: hashes in hexadecimal. */
export type Digest = { readonly checksum?: string; readonly os_hash_algo: string; readonly os_hash_value: string };

/** What an image has besides its fields, as it begins. On the wire `properties` stand among the fields. */
export const firstKeeping = {
  properties: {} as Readonly<Record<string, string>>,
  members: {} as Members,
  source: null as Source | null,
  upload: null as Upload | null,
};

export type Image = Omit<RecordOf<typeof image>, 'status'> & { readonly status: ImageStatus } & typeof firstKeeping;
