/**
 * What a power run was asked for, kept with the node until it ends: `target_power_state` does not tell a reboot from
 * power on, and `sync` must be able to start a run that was recorded but never started.
 */
import type { Item, Write } from '../platform/table.ts';
import { companions } from './kinds/companions.ts';

/** The input of the `power` workflow. */
export type PowerRequest = {
  readonly node: string;
  /** A word of PUT states/power. */
  readonly target: string;
  /** Seconds; null: the default. */
  readonly timeout: number | null;
  /** The machine must not be switched off: a reboot is a restart (`disable_power_off`). */
  readonly stays_on?: true;
  /** It ends work that booted a ramdisk: the media go too, and what would boot them again. */
  readonly abandons?: true;
};

/** A node has one at most: its lock is what a power run holds. */
export const powerRequestKey = companions.power_request.key;

/** Written in the transaction that takes the lock for `run`. */
export const powerRequestWrite = (run: string, request: PowerRequest): Write =>
  companions.power_request.put(request.node, { run, request });

/** The request that belongs to `run`; undefined for an item that an earlier run left. */
export const powerRequestOf = (item: Item | undefined, run: string): PowerRequest | undefined => {
  const kept = companions.power_request.of(item);
  return kept?.run === run ? kept.request : undefined;
};
