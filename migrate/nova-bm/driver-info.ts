/**
 * What operators say of all nodes because a nova_bm has no column for it, such as where a BMC speaks Redfish: keys of
 * driver_info, whose values may name what a row has.
 */
import { Invalid } from '../../layers/domain/fault.ts';
import { textOf } from '../credentials.ts';
import { type DriverName, drivers } from './drivers.ts';
import type { NodeRow } from './tables.ts';

/** Texts by key, with {pm_address} and the like in them. */
export type Templates = Readonly<Record<string, string>>;

/** What a text may name of a row. */
const columns = ['pm_address', 'uuid', 'id'] as const;

const placeholder = /\{(\w*)\}/g;

/** `NAME=VALUE`, or `NAME=@FILE` for what is in a file. Throws Invalid, also for a secret and for a column that is none of these. */
export const readTemplates = (given: readonly string[], driver: DriverName): Templates =>
  Object.fromEntries(
    given.map((one) => {
      const [, name, value] = /^(\w+)=(.+)$/s.exec(one) ?? [];
      if (name === undefined || value === undefined) throw Invalid(`--driver-info is NAME=VALUE, not "${one}".`);
      if (name === drivers[driver].password) {
        throw Invalid(`--driver-info does not take ${name}: each node has the pm_password of its row.`);
      }
      const text = value.startsWith('@') ? textOf(value.slice(1)) : value;
      const unknown = [...text.matchAll(placeholder)].find(([, column]) => !columns.some((known) => known === column));
      if (unknown) {
        const all = columns.map((column) => `{${column}}`).join(', ');
        throw Invalid(`--driver-info ${name} has ${unknown[0]} in it; a row has ${all}.`);
      }
      return [name, text];
    }),
  );

/** The texts for one row. */
export const filledFor = (templates: Templates, row: NodeRow): Record<string, string> =>
  Object.fromEntries(
    Object.entries(templates).map(([name, text]) => [
      name,
      text.replace(placeholder, (_, column: (typeof columns)[number]) => String(row[column])),
    ]),
  );
