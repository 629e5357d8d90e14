/** Fetches what virtual media point to, as a BMC does: whole, streamed, keeping no more than what must be known. */
import { createHash } from 'node:crypto';

import { isFault, Invalid } from '../layers/domain/fault.ts';
import { discard } from './fetch.ts';
import { withoutSecrets } from './log.ts';
import type { Machine } from './machine.ts';
import { within, type World } from './world.ts';

/** Milliseconds a whole download may take. */
const fetchLimit = 120_000;
const maxBytes = 4 * 2 ** 30;
/** Where the identifier of the first volume descriptor starts: sector 16, second byte (ECMA-119 8.4). */
const magicAt = 32_769;
const magic = Buffer.from('CD001');
/** The descriptor behind it is a boot record (El Torito 2.0). */
const bootRecordAt = 17 * 2048 + 7;
const bootRecord = Buffer.from('EL TORITO SPECIFICATION');
const marker = Buffer.from('INGOT-AGENT');
/** The marker and its JSON must not be longer than this together. */
const window = 4096;

/**
 * What a deploy ramdisk was built with, where a real one has kernel arguments: `ipa-api-url`,
 * `ipa-inspection-callback-url` if it is to send its inventory, and `boot_method`.
 */
export type Built = {
  readonly api_url: string | null;
  readonly inspection_url: string | null;
  readonly boot_method: string | null;
};

/** What an image turned out to be. `built` is null unless it is a deploy ramdisk; `boots`: a boot loader starts it. */
export type Found = {
  readonly size: number;
  readonly sha256: string;
  readonly built: Built | null;
  readonly boots: boolean;
};

/** Reads `{"api_url": "...", "inspection_url": "...", ...}` after the marker; null if it is not there or not whole. */
const parseMarker = (bytes: Buffer, at: number): Built | null => {
  const text = bytes.toString('latin1', at + marker.length, at + window);
  const json = /^\s*(\{[^{}]*\})/.exec(text)?.[1];
  try {
    const { api_url, inspection_url, boot_method } = JSON.parse(json ?? 'null') as Record<string, unknown>;
    const url = (value: unknown) =>
      typeof value === 'string' && URL.canParse(value) ? value.replace(/\/$/, '') : null;
    const method = typeof boot_method === 'string' ? boot_method : null;
    return { api_url: url(api_url), inspection_url: url(inspection_url), boot_method: method };
  } catch {
    return null;
  }
};

/** Follows the bytes of an image: digest, magic, marker; keeps a window of them only. */
const createReader = () => {
  const digest = createHash('sha256');
  let size = 0;
  let tail = Buffer.alloc(0);
  let [iso, boots] = [false, false];
  let built: Built | null = null;
  return {
    take: (chunk: Uint8Array): void => {
      digest.update(chunk);
      const bytes = Buffer.concat([tail, chunk]);
      const start = size - tail.length;
      size += chunk.length;
      if (size > maxBytes) throw Invalid('the image is larger than 4 GiB');
      const has = (at: number, text: Buffer) =>
        at >= start && bytes.subarray(at - start, at - start + text.length).equals(text);
      iso ||= has(magicAt, magic);
      boots ||= has(bootRecordAt, bootRecord);
      for (let at = bytes.indexOf(marker); at >= 0 && !built; at = bytes.indexOf(marker, at + 1)) {
        built = parseMarker(bytes, at);
      }
      tail = Buffer.from(bytes.subarray(-window));
    },
    end: (): Found => {
      if (!iso) throw Invalid('the image is not ISO 9660 (no CD001 at byte 32769)');
      return { size, sha256: digest.digest('hex'), built, boots };
    },
  };
};

/** Streams a URL into `take`; returns the status. Anything but 200 or 206 takes nothing. */
export const fetchBytes = async (
  world: World,
  url: string,
  take: (chunk: Uint8Array) => void,
  { signal, headers = {} }: { signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<number> => {
  return within(world.clock, fetchLimit, signal, async (limited) => {
    const answer = await world.fetch(url, { headers, signal: limited });
    const { status, body } = answer;
    if (status !== 200 && status !== 206) await discard(answer);
    else for await (const chunk of body ?? []) take(chunk);
    return status;
  });
};

const attempt = async (world: World, machine: Machine, url: string, run: () => Promise<number>) => {
  let status = 0;
  try {
    status = await world.download(run);
    return status === 200 || status === 206 ? undefined : `the image server answered ${status}`;
  } catch (error) {
    return isFault(error) ? error.message : 'the image could not be fetched';
  } finally {
    const path = withoutSecrets(url);
    world.log.add({ at: world.clock.now(), machine: machine.name, side: 'media', method: 'GET', path, status });
  }
};

/** Reads a whole image; `reason` says why a machine cannot boot from it. */
export const readMedia = async (
  world: World,
  machine: Machine,
  url: string,
  signal: AbortSignal,
): Promise<Found | { reason: string }> => {
  const reader = createReader();
  const reason = await attempt(world, machine, url, async () => fetchBytes(world, url, reader.take, { signal }));
  if (reason) return { reason };
  try {
    return reader.end();
  } catch (error) {
    return { reason: (error as Error).message };
  }
};

/** Looks at the start of an image as BMCs do that check on insertion; why it is refused, or undefined. */
export const checkMedia = async (world: World, machine: Machine, url: string): Promise<string | undefined> => {
  const reader = createReader();
  const headers = { range: 'bytes=0-65535' };
  const reason = await attempt(world, machine, url, async () => fetchBytes(world, url, reader.take, { headers }));
  if (reason) return reason;
  try {
    reader.end();
  } catch (error) {
    return (error as Error).message;
  }
};
