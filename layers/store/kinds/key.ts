/** The keys of the table, from which every kind's are made. */
import type { Key } from '../../platform/table.ts';

/** The partition of a record, and of all that belongs to it: one query reads a node's whole world. */
export const partition = (kind: string, uuid: string): string => `${kind}#${uuid}`;

/** Where the guard of a value stands; `what` is the name in the `unique` of its row. */
export const guardKey = (what: string, value: string): Key => ({ pk: `unique#${what}#${value}`, sk: 'guard' });
