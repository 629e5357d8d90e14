/** One record of a batch: written if it is not there, compared if it is, and never written over what is there. */
import { createHash } from 'node:crypto';

import { configdriveKey, configdriveReference } from '../../../layers/domain/configdrive.ts';
import { Invalid, isFault } from '../../../layers/domain/fault.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { mask, maskField } from '../../../layers/domain/masking.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { isoTime, isSame } from '../../../layers/domain/values.ts';
import { askedBy, type NodeEvent } from '../../../layers/store/events.ts';
import { guardsOf } from '../../../layers/store/guards.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import type { AnyKind, Kept } from '../../../layers/store/kinds/kind.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Write } from '../../../layers/platform/table.ts';
import { isStored, readConfigdrive } from '../configdrive.ts';
import { sealValues, type Values } from '../crud.ts';
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

/** Who asks. `dry`: only what would become of it is asked; what it refers to may come later, and is not looked at. */
export type Asked = { readonly subject: Subject; readonly dry: boolean };

/**
 * What is to be written. `before`: refuses what has to be there once the record is, by throwing Invalid, and puts it there
 * unless it is only asked for.
 */
type Read = { readonly values: Values; readonly also: readonly Write[]; before?(dry: boolean): Promise<void> };

/** The values with credentials sealed and a mask in their place; a mask that comes stands for what is sealed already. */
const concealed = async (deps: Deps, values: Values): Promise<Read> => {
  const credentials = values['driver_info'] as Values | undefined;
  if (!credentials) return { values, also: [] };
  const uuid = values['uuid'] as string;
  const known = await readSecrets(deps.table, uuid);
  const sealed = await sealCredentials(deps, uuid, credentials);
  const { info, values: secrets } = conceal(credentials, sealed, known.values);
  const also = Object.keys(secrets).length > 0 ? [secretsWrite(uuid, known, secrets)] : [];
  return { values: { ...values, driver_info: info }, also };
};

/** The configdrive of an instance stored as provisioning stores it (DESIGN.md 6), by what it is, so that it may come again. */
const shelved = (deps: Deps, values: Values): Pick<Read, 'values' | 'before'> => {
  const info = values['instance_info'] as Values | undefined;
  const given = info?.['configdrive'];
  if (!isStored(given)) return { values };
  const { uuid } = values as { readonly uuid: string };
  const key = configdriveKey(uuid, createHash('sha256').update(JSON.stringify(given)).digest('hex'));
  return {
    values: { ...values, instance_info: { ...info, configdrive: configdriveReference(key) } },
    before: async (dry) => {
      const found = await readConfigdrive(deps, given, values as StoredNode);
      if (!found || 'url' in found) return;
      // Nobody asks for a deploy here, which could fail with it.
      if (found.flaw !== undefined) throw Invalid(found.flaw);
      if (!dry) await deps.objects.put(key, found.packed);
    },
  };
};

/** What stands elsewhere than in the record is put there, and what refers to it in its place. */
const apart = async (deps: Deps, { row: { kind } }: Wanted, values: Values): Promise<Read> => {
  const uuid = values['uuid'] as string;
  if (kind.name !== 'node') return { values: await sealValues(deps, kind.fields, uuid, values), also: [] };
  const shelf = shelved(deps, values);
  return { ...shelf, ...(await concealed(deps, shelf.values)) };
};

const differing = ({ kind, moving = [] }: ImportRow, values: Values, stored: object): string[] => {
  const rows: Fields = kind.fields;
  // Two seals of one secret differ, and nobody here can open them.
  const seen = (name: string, value: unknown) => (rows[name]?.sealed ? maskField(true, value) : value);
  return Object.keys(values).filter(
    (name) =>
      name !== 'updated_at' &&
      !moving.includes(name) &&
      !isSame(seen(name, values[name]), seen(name, (stored as Values)[name])),
  );
};

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

/** Nothing is sealed of what is not written. */
const idle: Deps['sealer'] = { seal: async () => mask };

/** What would become of a record that is not here. What it refers to may come with it, so nobody looks for that. */
const foreseen = async (deps: Deps, kind: AnyKind, values: Values): Promise<Outcome> => {
  const fields = await takenFields(deps, kind, values);
  if (fields.length === 0) return { outcome: 'created' };
  const reason = `${kind.title} ${values['uuid'] as string} can not be here: another has its ${fields.join(', ')} already.`;
  return { outcome: 'conflict', fields, reason };
};

const attempt = async (deps: Deps, wanted: Wanted, { subject, dry }: Asked): Promise<Outcome> => {
  const { kind } = wanted.row;
  const values = readValues({ ...wanted.row, fields: kind.fields }, wanted.record);
  const look = async () => readRecord<Kept>(deps.table, kind, values['uuid'] as string);
  const found = await look();
  const read = await apart(dry || found ? { ...deps, sealer: idle } : deps, wanted, values);
  if (found) return compared(wanted, read.values, found);
  await read.before?.(dry);
  if (dry) return foreseen(deps, kind, read.values);
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

/**
 * Writes one record, or says why not. A refusal is the record's; throws what is nobody's fault (500 and more), after
 * which the same batch can come again.
 */
export const importRecord = async (deps: Deps, wanted: Wanted, asked: Asked): Promise<Outcome> => {
  try {
    return await attempt(deps, wanted, asked);
  } catch (error) {
    if (!isFault(error) || error.code >= 500) throw error;
    return { outcome: 'refused', reason: error.message };
  }
};
