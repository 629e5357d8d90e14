/**
 * How long a request waits for what stands in its way and soon will not. As Ironic does, who asks for a node that somebody
 * works on is told so only when the lock has not come free for a while (ironic-api.md 1.3): most locks are held for
 * moments, and few clients ask again after a 409.
 */
import { isFault } from '../domain/fault.ts';
import type { Platform } from '../platform/platform.ts';

/** `tries`: how often it was made; `passed`: milliseconds since it came in. */
export type Spent = { readonly tries: number; readonly passed: number };

/**
 * Milliseconds after which a request that ended in `error` is made again; undefined: it is told. Only of what is refused
 * before anything is done.
 */
export type Patience<Deps> = (deps: Deps, error: unknown, spent: Spent) => number | undefined;

/** Milliseconds. Growing, for a lock that has been held for long is held for longer. */
const firstPause = 100;
const lastPause = 800;

/** Waits for the lock of a node, `limit` milliseconds at most; all who wait for one node do not come back at once. */
export const untilUnlocked =
  <Deps extends Pick<Platform, 'chance'>>(limitOf: (deps: Deps) => number): Patience<Deps> =>
  (deps, error, { tries, passed }) => {
    if (!isFault(error) || error.name !== 'NodeLocked') return undefined;
    const pause = Math.min(firstPause * 2 ** (tries - 1), lastPause) * (0.5 + deps.chance.number() / 2);
    return passed + pause > limitOf(deps) ? undefined : pause;
  };
