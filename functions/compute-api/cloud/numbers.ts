/** Numbers for those who know things by numbers: hypervisors and services until 2.52. */
import * as z from 'zod';

/** From here on they are known by their UUIDs. */
export const knownByUuid = 53;

/** Of so many digits no two UUIDs have the same, and a client of whatever language reads the number exactly. */
const digits = 13;

/** The number of a UUID. It cannot be turned back. */
const numberOf = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(-digits), 16);

/** What this version calls something by. */
export const idOf = (uuid: string, version: number): string | number => (version < knownByUuid ? numberOf(uuid) : uuid);

/** The same for the documents. */
export const shownId = z.union([z.int(), z.uuid()]);
