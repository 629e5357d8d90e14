/**
 * Removes stored objects that no record refers to: left by a crash between storing one and the write that names it, or
 * between the write that names it no more and its removal.
 */
import type { Platform } from '../platform/platform.ts';

/** Younger ones may be about to be named, ms. */
const minAge = 24 * 60 * 60 * 1000;

/** A UUID's first two digits part all records; each part has its five minutes, all have one in 21 hours. */
const parts = 256;
const turn = 5 * 60 * 1000;

/** Keys go on behind it, or end with it and what kind of a file they are. */
const uuidLength = 36;

/** The objects of one kind of record. */
export type Sort = {
  /** What their keys begin with, if the UUID of their record begins so. */
  of(start: string): string;
  /** Those that the record of this UUID refers to, with what is made of them. */
  named(uuid: string): Promise<readonly (string | undefined)[]>;
};

type Needs = Pick<Platform, 'objects' | 'clock' | 'log'>;

/** One part of the records, so that a call costs little however many there are. `sorts`: by what a log calls their objects. */
export const sweep = async ({ objects, clock, log }: Needs, sorts: Readonly<Record<string, Sort>>): Promise<void> => {
  const now = clock.now();
  const part = (Math.floor(now / turn) % parts).toString(16).padStart(2, '0');
  for (const [name, { of, named }] of Object.entries(sorts)) {
    for (const { key, put_at } of await objects.list(of(part))) {
      const uuid = key.split('/')[1]!.slice(0, uuidLength);
      if (now - put_at < minAge || (await named(uuid)).includes(key)) continue;
      await objects.remove(key);
      log.info(`A stored ${name} that nothing refers to was removed.`, { of: uuid });
    }
  }
};
