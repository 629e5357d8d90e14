/** The microversions that are spoken: 1.MIN to 1.MAX (ironic-api.md 1.2). A new one is a change of MAX and a row. */
export const MIN = 1;
export const MAX = 115;

/** What a request without a version gets; it is the oldest, not the newest. */
export const DEFAULT = 1;
