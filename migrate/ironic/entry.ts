/** What is to become of a record of a source, and what became of it. */
import { largestBytes, type ImportRecord, type Outcome } from '../target.ts';
import type { Ironic, Values } from './api.ts';
import type { Beside } from './beside.ts';
import { resources, type ResourceName } from './fields.ts';
import { judge, type Told } from './judge.ts';
import { nameOf, readShown, type Replacement } from './record.ts';
import type { Path, Secrets } from './secrets.ts';

export type EntryKind = ResourceName | 'inventory';

export type Entry = {
  readonly kind: EntryKind;
  readonly uuid: string;
  readonly name: string | null;
  /** With its secrets, where they are known. */
  readonly record: Values;
  /** The same as the source shows it. */
  readonly masked: Values;
  readonly missing: readonly Path[];
  /** `rejected`: it is not here as the source has it. */
  readonly is: 'wanted' | 'imported' | 'identical' | 'rejected';
  /** Why it was rejected. */
  readonly refusal?: Told;
  readonly warnings: readonly Told[];
};

export type Reading = {
  readonly ironic: Ironic;
  readonly secrets: Secrets;
  readonly replacements: readonly Replacement[];
  /** Whether the source goes on working, and is fenced node by node. */
  readonly running: boolean;
  readonly beside: Beside;
  /** Takes milliseconds. */
  sleep(ms: number): Promise<unknown>;
};

/** What does not go on because of what: by UUID, of records that were rejected. */
export type Rejected = Map<string, Told>;

/** What lists hold, in their order; a node's history and inventory are read with it. */
export const listed = (Object.keys(resources) as ResourceName[]).filter((name) => name !== 'history');

/** A configdrive that no request takes is left out: the machine runs without it. */
const withoutGiant = (record: Values): { record: Values; warnings: readonly Told[] } => {
  const bytes = Buffer.byteLength(JSON.stringify(record));
  const info = record['instance_info'] as Values | undefined;
  if (bytes <= largestBytes || info?.['configdrive'] === undefined) return { record, warnings: [] };
  const { configdrive: _, ...rest } = info;
  const detail = `instance_info.configdrive is larger than an import takes (${largestBytes} bytes) and left out: a rebuild needs it again.`;
  return { record: { ...record, instance_info: rest }, warnings: [{ reason: 'configdrive-too-large', detail }] };
};

/** What belongs to a node that is here, though another one, is compared like it: the target tells. */
const orphaned = ({ node_uuid: home }: Values, rejected: Rejected): Told[] =>
  (rejected.get(home as string)?.reason ?? 'conflict') !== 'conflict'
    ? [{ reason: 'parent-not-imported', detail: `node ${home as string} was not imported.` }]
    : [];

/** Reads what a list shows: each is wanted, or rejected with the reason. */
export const readEntries = async (
  { secrets, replacements, running }: Pick<Reading, 'secrets' | 'replacements' | 'running'>,
  name: ResourceName,
  shown: readonly Values[],
  rejected: Rejected,
): Promise<Entry[]> => {
  const clear = await secrets.of(name, shown);
  return shown.map((one): Entry => {
    const uuid = one['uuid'] as string;
    const read = readShown(name, one, clear.get(uuid), replacements);
    const judged = judge(name, { shown: one, read, running });
    const { record, warnings } = withoutGiant(read.record);
    const [refusal] = [...judged.refusals, ...orphaned(record, rejected)];
    return {
      kind: name,
      uuid,
      name: nameOf(record),
      record,
      masked: read.masked,
      missing: read.missing,
      is: refusal ? 'rejected' : 'wanted',
      ...(refusal && { refusal }),
      warnings: [...judged.warnings, ...warnings],
    };
  });
};

export const refuse = (entry: Entry, reason: string, detail: string): Entry => ({
  ...entry,
  is: 'rejected',
  refusal: { reason, detail },
});

export const warn = (entry: Entry, reason: string, detail: string): Entry => ({
  ...entry,
  warnings: [...entry.warnings, { reason, detail }],
});

/** As the target answered. */
const become = (entry: Entry, { outcome, reason = 'no reason given' }: Outcome): Entry => {
  if (outcome === 'created') return { ...entry, is: 'imported' };
  if (outcome === 'unchanged') return { ...entry, is: 'identical' };
  return refuse(entry, outcome, reason);
};

const recordOf = ({ kind, record }: Entry): ImportRecord => ({ kind, record });

/** Sends what is wanted, and answers all with what became of them; who is rejected is noted. Throws what `send` throws. */
export const send = async (
  entries: readonly Entry[],
  rejected: Rejected,
  to: (records: readonly ImportRecord[]) => Promise<readonly Outcome[]>,
): Promise<Entry[]> => {
  const wanted = entries.filter(({ is }) => is === 'wanted');
  const outcomes = wanted.length === 0 ? [] : await to(wanted.map(recordOf));
  const became = new Map(wanted.map((entry, at) => [entry, become(entry, outcomes[at]!)]));
  const all = entries.map((entry) => became.get(entry) ?? entry);
  for (const { uuid, is, refusal } of all) if (is === 'rejected') rejected.set(uuid, refusal!);
  return all;
};
