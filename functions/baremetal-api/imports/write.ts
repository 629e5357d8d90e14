/** One record of a batch: written if it is not there, compared if it is, and never written over what is there. */
import { isFault } from '../../../layers/domain/fault.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { isoTime, isSame } from '../../../layers/domain/values.ts';
import { askedBy, type NodeEvent } from '../../../layers/store/events.ts';
import { guardsOf } from '../../../layers/store/guards.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import type { AnyKind, Kept } from '../../../layers/store/kinds/kind.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Write } from '../../../layers/platform/table.ts';
import type { Values } from '../crud.ts';
import { conceal, sealCredentials } from '../node/secrets.ts';
import type { Deps } from '../route.ts';
import { readValues } from './read.ts';
import type { ImportRow } from './rows.ts';

/** What became of a record. `fields`: those that differ, or whose values are another record's already. */
export type Outcome =
  | { readonly outcome: 'created' | 'unchanged' }
  | { readonly outcome: 'conflict'; readonly fields: readonly string[]; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

/** A record to be written: where it stands in lists was drawn when its batch came. */
export type Wanted = { readonly row: ImportRow; readonly record: Values; readonly position: string };

type Read = { readonly values: Values; readonly also: readonly Write[] };

/** The values with credentials sealed and a mask in their place; a mask that comes stands for what is sealed already. */
const concealed = async (deps: Deps, { row: { kind } }: Wanted, values: Values): Promise<Read> => {
  const credentials = values['driver_info'] as Values | undefined;
  if (kind.name !== 'node' || !credentials) return { values, also: [] };
  const uuid = values['uuid'] as string;
  const known = await readSecrets(deps.table, uuid);
  const sealed = await sealCredentials(deps, uuid, credentials);
  const { info, values: secrets } = conceal(credentials, sealed, known.values);
  const also = Object.keys(secrets).length > 0 ? [secretsWrite(uuid, known, secrets)] : [];
  return { values: { ...values, driver_info: info }, also };
};

const differing = ({ moving = [] }: ImportRow, values: Values, stored: object): string[] =>
  Object.keys(values).filter(
    (name) => name !== 'updated_at' && !moving.includes(name) && !isSame(values[name], (stored as Values)[name]),
  );

const compared = ({ row }: Wanted, values: Values, stored: Kept): Outcome => {
  const fields = differing(row, values, stored);
  if (fields.length === 0) return { outcome: 'unchanged' };
  const reason = `${row.kind.title} ${stored.uuid} is here with another ${fields.join(', ')}; it stays as it is.`;
  return { outcome: 'conflict', fields, reason };
};

/** The fields whose values another record has. */
const takenFields = async ({ table }: Deps, kind: AnyKind, values: Values): Promise<string[]> => {
  const rows: Fields = kind.fields;
  const guards = guardsOf(rows, values);
  const found = await table.getMany(guards.map(({ key }) => key));
  const taken = guards.filter((_, at) => found[at] !== undefined && found[at][kind.name] !== values['uuid']);
  return Object.keys(rows).filter((name) => taken.some(({ unique }) => unique === rows[name]!.unique));
};

const line = (subject: Subject): NodeEvent => ({
  kind: 'request',
  severity: 'INFO',
  event_type: 'import',
  message: 'Moved in from another installation.',
  ...askedBy(subject),
});

const create = async (deps: Deps, { row, position }: Wanted, { values, also }: Read, subject: Subject) => {
  const { kind, begins, permit } = row;
  const at = isoTime(deps.clock.now());
  const record = newRecord<Kept>(deps, kind, { ...begins?.(values, at), ...values, position });
  await createRecord(deps, kind, record, async () => ({
    also: [...also, ...((await permit?.(deps.table, record)) ?? [])],
    ...(kind.line && { events: [line(subject)] }),
  }));
};

const attempt = async (deps: Deps, wanted: Wanted, subject: Subject): Promise<Outcome> => {
  const { kind } = wanted.row;
  const read = await concealed(deps, wanted, readValues(wanted.row, wanted.record));
  const look = async () => readRecord<Kept>(deps.table, kind, read.values['uuid'] as string);
  const found = await look();
  if (found) return compared(wanted, read.values, found);
  try {
    await create(deps, wanted, read, subject);
    return { outcome: 'created' };
  } catch (error) {
    if (!isFault(error) || error.code !== 409) throw error;
    // A repetition of the same batch may have been faster.
    const faster = await look();
    if (faster) return compared(wanted, read.values, faster);
    return { outcome: 'conflict', fields: await takenFields(deps, kind, read.values), reason: error.message };
  }
};

/** What would become of a record. What it refers to may come with it, so nobody looks for that. */
const judge = async (deps: Deps, wanted: Wanted): Promise<Outcome> => {
  const { kind } = wanted.row;
  const { values } = await concealed(deps, wanted, readValues(wanted.row, wanted.record));
  const uuid = values['uuid'] as string;
  const found = await readRecord<Kept>(deps.table, kind, uuid);
  if (found) return compared(wanted, values, found);
  const fields = await takenFields(deps, kind, values);
  if (fields.length === 0) return { outcome: 'created' };
  const reason = `${kind.title} ${uuid} can not be here: another has its ${fields.join(', ')} already.`;
  return { outcome: 'conflict', fields, reason };
};

/** A refusal is the record's; what is nobody's fault (500 and more) is thrown. */
const orRefused = async (outcome: Promise<Outcome>): Promise<Outcome> =>
  outcome.catch((error: unknown) => {
    if (!isFault(error) || error.code >= 500) throw error;
    return { outcome: 'refused', reason: error.message };
  });

/** Tells what `importRecord` would, and writes nothing: `created` is what would be. */
export const foresee = async (deps: Deps, wanted: Wanted): Promise<Outcome> => orRefused(judge(deps, wanted));

/**
 * Writes one record, or says why not. A refusal is the record's; throws what is nobody's fault (500 and more), after
 * which the same batch can come again.
 */
export const importRecord = async (deps: Deps, wanted: Wanted, subject: Subject): Promise<Outcome> =>
  orRefused(attempt(deps, wanted, subject));
