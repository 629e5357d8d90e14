/**
 * What a move did, for machines. Records are written as they come, so that a report of any size needs no memory; secrets
 * are ****** in it.
 */
import type { Entry } from './entry.ts';
import { resources } from './fields.ts';
import { reportedRecord } from './masked.ts';

type Line = {
  readonly kind: string;
  readonly uuid: string;
  readonly name?: string;
  readonly reason: string;
  readonly detail: string;
};

const counted = ['read', 'imported', 'identical', 'rejected', 'warnings'] as const;
type Counts = Record<(typeof counted)[number], number>;

export type Report = {
  /** By kind. */
  readonly summary: Readonly<Record<string, Readonly<Counts>>>;
  readonly rejected: readonly Line[];
  readonly warnings: readonly Line[];
  add(entry: Entry): void;
  /** What remains to be told. */
  end(): void;
};

/** As the source shows it, and without what is a secret here besides. */
const shown = ({ kind, masked }: Entry): object =>
  kind === 'inventory' ? { node_uuid: masked['node_uuid'] } : reportedRecord(resources[kind].fields, masked);

const lineOf = ({ kind, uuid, name }: Entry, told: { readonly reason: string; readonly detail: string }): Line => ({
  kind,
  uuid,
  ...(name !== null && { name }),
  ...told,
});

/** `write` takes the text, piece by piece. `head`: what was asked for. */
export const createReport = (head: object, write: (text: string) => void): Report => {
  const summary: Record<string, Counts> = {};
  const rejected: Line[] = [];
  const warnings: Line[] = [];
  let count = 0;
  write(`${JSON.stringify(head, undefined, 1).replace(/\n?\}$/, '')},\n "records": [`);
  const countIn = ({ kind, is, warnings: own }: Entry): void => {
    summary[kind] ??= { read: 0, imported: 0, identical: 0, rejected: 0, warnings: 0 };
    summary[kind].read += 1;
    if (is !== 'wanted') summary[kind][is] += 1;
    summary[kind].warnings += own.length;
  };
  return {
    summary,
    rejected,
    warnings,
    add: (entry) => {
      const { kind, uuid, is } = entry;
      countIn(entry);
      if (entry.refusal) rejected.push(lineOf(entry, entry.refusal));
      for (const one of entry.warnings) warnings.push(lineOf(entry, one));
      write(`${count === 0 ? '' : ','}\n  ${JSON.stringify({ kind, uuid, outcome: is, record: shown(entry) })}`);
      count += 1;
    },
    end: () => {
      const rest = { rejected, warnings, summary };
      write(`\n ],${JSON.stringify(rest, undefined, 1).replace(/^\{/, '')}\n`);
    },
  };
};
