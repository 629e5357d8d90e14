/** ETags as BMCs really send them (redfish.md 4.1, 5 row 18). */
import { withoutEnds } from '../domain/foreign-text.ts';

/** W/"a", ""a"" and a become "a". */
const strong = (etag: string): string => `"${withoutEnds(etag.replace(/^W\//, ''), '"')}"`;

/** The If-Match values to try in turn: as given, then strong, then none. */
export const etagLadder = (etag: string | null): (string | null)[] =>
  etag === null ? [null] : [...new Set([etag, strong(etag), null])];

/** Precondition failed, or precondition required. */
export const isEtagTrouble = (status: number): boolean => status === 412 || status === 428;
