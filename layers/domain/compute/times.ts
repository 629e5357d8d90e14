/** Times as the Compute API writes them. */

/** With microseconds and without a zone, which is UTC. `time` is in ISO 8601. */
export const microTime = (time: string): string => new Date(time).toISOString().replace('Z', '000');
