/**
 * POST /v1/imports, an addition to Ironic's API for whoever moves in (ADR 22): records with their states, as no other
 * request takes them. Administrators only.
 */
import * as z from 'zod';

import { json, uuid } from '../../../layers/domain/values.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { eachAtOnce } from '../at-once.ts';
import { type Deps, route, type Route } from '../route.ts';
import { importKinds, type ImportKind, importRows } from './rows.ts';
import { foresee, importRecord, type Outcome, type Wanted } from './write.ts';

/** Each is a transaction, and API Gateway waits for 29 seconds. */
const maxRecords = 500;
/** Lambda takes 6 MB, counted in the text of an event that has the body as a text in it, with a \ before each ". */
const maxBytes = 5 * 1024 * 1024;

const entry = z.strictObject({ kind: z.enum(importKinds), record: json });
const body = z.strictObject({
  records: z.array(entry).min(1, 'must have at least one record').max(maxRecords, `must be at most ${maxRecords}`),
  /** Only tells what would become of each, as far as that depends on it and on what is here. */
  dry_run: z.boolean().default(false),
});
type Body = z.output<typeof body>;

const answer = z.object({
  results: z.array(
    z.object({
      kind: z.enum(importKinds),
      uuid: uuid.nullable(),
      outcome: z.enum(['created', 'unchanged', 'conflict', 'refused']),
      fields: z.array(z.string()).optional(),
      reason: z.string().optional(),
    }),
  ),
});

type Entry = { readonly kind: ImportKind; readonly wanted: Wanted; readonly at: number };

/** What belongs to one node is written one after the other: each write of it depends on the node's revision. */
const groupsOf = (entries: readonly Entry[]): Entry[][] => {
  const groups = new Map<unknown, Entry[]>();
  for (const one of entries) {
    const group = one.wanted.record['node_uuid'] ?? one;
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups.values()];
};

/** What became of each, in the order of the batch. */
const importAll = async (deps: Deps, { records, dry_run }: Body, subject: Subject): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  const each = async (wanted: Wanted) => (dry_run ? foresee(deps, wanted) : importRecord(deps, wanted, subject));
  // Drawn in the order of the batch, which lists then have.
  const entries = records.map(({ kind, record }, at): Entry => {
    return { kind, at, wanted: { row: importRows[kind], record, position: deps.ids.ulid() } };
  });
  for (const kind of importKinds) {
    const groups = groupsOf(entries.filter((one) => one.kind === kind));
    await eachAtOnce(groups, async (group) => {
      for (const { at, wanted } of group) outcomes[at] = await each(wanted);
    });
  }
  return outcomes;
};

/** The UUID that a record gives, if it is one: a refusal may be because it is not. */
const uuidOf = ({ uuid: given }: Readonly<Record<string, unknown>>): string | null =>
  uuid.safeParse(given).data ?? null;

export const importRoutes: readonly Route[] = [
  route<Body>({
    at: 'POST /v1/imports',
    movesIn: true,
    policy: 'baremetal:import:create',
    status: 200,
    limit: maxBytes,
    body,
    shows: answer,
    doc: 'Writes records of another installation as they are, with their states: each that is not there yet.',
    handle: async (deps, { body: batch, subject }) => {
      const outcomes = await importAll(deps, batch, subject);
      const results = batch.records.map(({ kind, record }, at) => ({ kind, uuid: uuidOf(record), ...outcomes[at]! }));
      return { body: { results } };
    },
  }),
];
