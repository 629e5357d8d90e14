/**
 * POST /v1/imports, an addition to Ironic's API for whoever moves in (ADR 22): records with their states, as no other
 * request takes them. Administrators only.
 */
import * as z from 'zod';

import { eachAtOnce } from '../../../layers/domain/at-once.ts';
import { bool, json, uuid } from '../../../layers/domain/values.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { type Deps, route, type Route } from '../route.ts';
import { besideKinds, importBeside } from './beside.ts';
import { importKinds, type ImportKind, importRows } from './rows.ts';
import { importRecord, type Outcome } from './write.ts';

/** Each is a transaction, and API Gateway waits for 29 seconds. */
const maxRecords = 500;
/** Lambda takes 6 MB, counted in the text of an event that has the body as a text in it, with a \ before each ". */
const maxBytes = 5 * 1024 * 1024;
/** At a time: one after the other API Gateway would not wait; fewer than connections that the SDK opens. */
const atOnce = 16;

const kind = z.enum([...importKinds, ...besideKinds]);
const entry = z.strictObject({ kind, record: json });
const body = z.strictObject({
  /** Only tells what would become of each, as far as that depends on it and on what is here. */
  dry_run: bool.default(false),
  records: z.array(entry).min(1, 'must have at least one record').max(maxRecords, `must be at most ${maxRecords}`),
});
type Body = z.output<typeof body>;

const answer = z.object({
  results: z.array(
    z.object({
      kind,
      uuid: uuid.nullable(),
      outcome: z.enum(['created', 'unchanged', 'conflict', 'refused']),
      fields: z.array(z.string()).optional(),
      reason: z.string().optional(),
    }),
  ),
});

type Entry = Body['records'][number] & { readonly at: number; import(): Promise<Outcome> };

/** What belongs to one node is written one after the other: each write of it depends on the node's revision. */
const groupsOf = (entries: readonly Entry[]): Entry[][] => {
  const groups = new Map<unknown, Entry[]>();
  for (const one of entries) {
    const group = one.record['node_uuid'] ?? one;
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups.values()];
};

const isRecord = (name: Entry['kind']): name is ImportKind => Object.hasOwn(importRows, name);

/** What became of each, in the order of the batch. */
const importAll = async (deps: Deps, { records, dry_run }: Body, subject: Subject): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  const about = { subject, dry: dry_run };
  const entries = records.map(({ kind: name, record }, at): Entry => {
    if (!isRecord(name)) return { kind: name, record, at, import: async () => importBeside(deps, name, record, about) };
    // Drawn in the order of the batch, which lists then have.
    const wanted = { row: importRows[name], record, position: deps.ids.ulid() };
    return { kind: name, record, at, import: async () => importRecord(deps, wanted, about) };
  });
  for (const name of kind.options) {
    const groups = groupsOf(entries.filter((one) => one.kind === name));
    await eachAtOnce(groups, atOnce, async (group) => {
      for (const one of group) outcomes[one.at] = await one.import();
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
    doc: 'Writes records of another installation as they are, with their states: each that is not there yet. dry_run: says only what would become of them.',
    handle: async (deps, { body: batch, subject }) => {
      const outcomes = await importAll(deps, batch, subject);
      const results = batch.records.map(({ kind: name, record }, at) => ({
        kind: name,
        uuid: uuidOf(record),
        ...outcomes[at]!,
      }));
      return { body: { results } };
    },
  }),
];
