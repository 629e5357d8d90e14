/** The values that a record brings, checked by the rows of its table. */
import { Invalid } from '../../../layers/domain/fault.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { checkField } from '../../../layers/domain/schema.ts';
import { isSame } from '../../../layers/domain/values.ts';
import { refuseMask, type Values } from '../crud.ts';
import { ownMasks } from '../node/secrets.ts';
import type { ImportRow } from './rows.ts';

type Readable = { readonly fields: Fields } & Pick<ImportRow, 'own' | 'read'>;

/** When it was created somebody may have forgotten. */
const dispensable = ['created_at'];

const refuseStrangers = (rows: Fields, names: readonly string[]): void => {
  const unknown = names.filter((name) => !Object.hasOwn(rows, name) || rows[name]!.computed);
  if (unknown.length > 0) throw Invalid(`Unexpected arguments: ${unknown.join(', ')}.`);
};

const refuseMissing = (rows: Fields, values: Values): void => {
  const missing = Object.entries(rows).find(
    ([name, { required, default: otherwise }]) =>
      required && otherwise === undefined && !dispensable.includes(name) && !Object.hasOwn(values, name),
  );
  if (missing) throw Invalid(`Missing mandatory parameter: ${missing[0]}.`);
};

/**
 * The values that a record brings; null is as good as absent, as is the default of a field that it may not bring. Masks
 * in driver_info are looked at where its secrets are. Throws Invalid (400) that names the first field that is wrong.
 */
export const readValues = ({ fields, own = [], read }: Readable, record: Values): Values => {
  const rows: Fields = fields;
  const given = Object.entries(record).filter(([, value]) => (value ?? null) !== null);
  refuseStrangers(
    rows,
    given.map(([name]) => name),
  );
  const values = Object.fromEntries(
    given
      .filter(([name, value]) => !own.includes(name) || !isSame(value, rows[name]!.default))
      .map(([name, value]): [string, unknown] => {
        if (own.includes(name)) throw Invalid(`${name} is of the service that works on the record: leave it out.`);
        if (!ownMasks.includes(name)) refuseMask(rows, name, value);
        return [name, checkField(rows, name, value)];
      }),
  );
  refuseMissing(rows, values);
  return read?.(values) ?? values;
};
