/**
 * JSON that has keys by the names of what every object inherits: whoever makes text or a number of it, or asks it for
 * what it inherits, gets what its sender says.
 */
const inherited = ['toString', 'valueOf', 'toJSON', 'hasOwnProperty', 'constructor', 'then', 'length', 'map'];

export const hostile: readonly object[] = [
  { toString: false },
  Object.fromEntries(inherited.map((name) => [name, false])),
  [{ toString: null, valueOf: {} }],
];
