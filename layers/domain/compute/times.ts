/** Times as the Compute API writes them, all of them in UTC. Arguments are in ISO 8601. */
import * as z from 'zod';

/** What `microTime` makes, for the documents. */
export const microTimestamp = z.iso.datetime({ local: true });

/** With microseconds and without a zone. */
export const microTime = (time: string): string => new Date(time).toISOString().replace('Z', '000');

/** Whole seconds, with Z. */
export const secondTime = (time: string): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
