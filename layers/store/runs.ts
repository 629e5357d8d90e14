/** Names of runs, that is of their executions, and what ends one that has lost its owner. */
import { Fault } from '../domain/fault.ts';

/**
 * The owner of the run (its UUID) and `birth`, a ULID that is drawn for this run and stored with the owner. An owner
 * that is created again, or comes back from a backup, never meets a name of its past (ADR 12). 63 characters; Step
 * Functions takes 80 of [0-9A-Za-z-_].
 */
export const runName = (owner: string, birth: string): string => `${owner}-${birth}`;

/** The UUID of the owner of a run with this name. Of what kind the owner is, the name does not tell. */
export const ownerOfRun = (run: string): string => run.slice(0, 36);

/**
 * The owner has another run by now, or is gone: the work of this one is over, and it must not touch anything any more.
 * `why` tells whose it was and whose it is.
 */
export const Superseded = (why: string) => new Fault('Superseded', 409, why);
