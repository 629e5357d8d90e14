/** What a guest is told by its configdrive, besides its network. */
import type { Platform } from '../platform/platform.ts';
import type { GuestMetadata } from './metadata.ts';

/** What a guest is told besides what it is known by. */
export type GuestServer = {
  readonly metadata: GuestMetadata;
  /** With its domain, if it has one. */
  readonly hostname: string;
  /** Which of those made by one request, from 0. */
  readonly launch_index: number;
  readonly reservation_id: string;
  readonly availability_zone: string;
  /** What the tenant noted down. */
  readonly meta: Readonly<Record<string, string>>;
  readonly key_pair: { readonly name: string; readonly type: 'ssh' | 'x509'; readonly public_key: string } | null;
  readonly admin_pass: string | null;
  readonly user_data: Uint8Array | null;
  readonly vendor_data: Readonly<Record<string, unknown>>;
  readonly security_groups: readonly string[];
  /** Written into the guest, each at its path. */
  readonly files: readonly { readonly path: string; readonly contents: Uint8Array }[];
  /** For the guest's own source of randomness (`newRandomSeed`). */
  readonly random_seed: Uint8Array;
};

/** How many UUIDs, of 16 bytes each, make the 512 bytes that Nova gives. */
const uuids = 32;

/** 512 bytes, of which 122 in 128 bits are random: nobody else's, and not the same again. */
export const newRandomSeed = ({ ids }: Pick<Platform, 'ids'>): Uint8Array =>
  Buffer.from(Array.from({ length: uuids }, () => ids.uuid().replaceAll('-', '')).join(''), 'hex');
