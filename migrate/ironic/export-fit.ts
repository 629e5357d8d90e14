/** Whether a column has a place for a value. A database that has none refuses it, and the whole script with it. */
import { cutText } from '../../layers/domain/foreign-text.ts';
import type { Shape } from '../sources/source.ts';
import type { Cell } from './export-sql.ts';

/** Of INTEGER, which every number of an Ironic is. */
const largest = 2_147_483_647;

const isStrange = (character: string, last: number): boolean => {
  const code = character.codePointAt(0)!;
  return code > last || code === 0;
};

/** Why the column does not take it; undefined: it does. */
export const misfit = (value: Cell, { characters, bytes, last }: Shape): string | undefined => {
  if (typeof value === 'number' && Math.abs(value) > largest) return 'is a larger number than this database takes';
  if (typeof value !== 'string') return undefined;
  const length = [...value].length;
  if (characters !== null && length > characters)
    return `has ${length} characters, and this database takes ${characters}`;
  const size = Buffer.byteLength(value);
  if (bytes !== null && size > bytes) return `has ${size} bytes, and this database takes ${bytes}`;
  return [...value].some((one) => isStrange(one, last))
    ? 'has characters that this database has no place for'
    : undefined;
};

/** A text that nobody can write otherwise, as far as there is a place for it. */
export const fitted = (text: string, { characters, last }: Shape): string => {
  const known = Array.from(text, (one) => (isStrange(one, last) ? '?' : one)).join('');
  return characters === null ? known : cutText(known, characters);
};
