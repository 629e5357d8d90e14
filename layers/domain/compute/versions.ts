/** The microversions of the Compute API that are spoken: 2.MIN to 2.MAX (compute-api.md 1). */
export const MIN = 1;
export const MAX = 96;

/** What a request without a version gets; it is the oldest, not the newest. */
export const DEFAULT = 1;
