/**
 * What the BMC proxy sees of the table: the record of a machine, and the ledger of what was done to it.
 *
 * A command's rows are kept in its item `command#<op_id>`; item `ledger` holds the hash of the node's newest row. Each
 * row holds the hash of the row before it, whatever command that belongs to, so a changed or missing row shows. Commands
 * are kept as long as the history; each row says when the one before it was written, so that one which is missing before
 * its time still shows.
 */
import { createHash } from 'node:crypto';

import { bmcFault } from '../bmc/faults.ts';
import type { BmcRecord, BmcRecords, LedgerEntry, LedgerStep } from '../bmc/records.ts';
import type { Fields } from '../domain/fields.ts';
import { maskRecord } from '../domain/masking.ts';
import { node as nodeFields } from '../domain/node.ts';
import { note } from '../domain/notes.ts';
import { port as portFields } from '../domain/port.ts';
import { rescuePasswordName } from './rescue-passwords.ts';
import type { Platform } from '../platform/platform.ts';
import { absent, below, equals, isConditionFailed, type Item, type Table, type Write } from '../platform/table.ts';
import { expiryOf } from './events.ts';
import { companions, type LedgerHead } from './kinds/companions.ts';
import { missing, readRecord, recordsOf } from './records/find.ts';
import { isoTime } from '../domain/values.ts';
import { keyOf } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';

type Needs = Pick<Platform, 'table' | 'clock'>;

/** One line of the ledger. `hash` is the SHA-256 (hex) of all the rest of it. */
export type LedgerRow = {
  readonly seq: number;
  readonly previous: string;
  /** When the row before it was written; absent in the first row, and in those of earlier versions. */
  readonly previous_at?: string;
  readonly at: string;
  readonly op: string;
  readonly op_id: string;
  readonly state: LedgerStep['state'];
  readonly what?: string;
  readonly generation?: number;
  readonly monitor?: string;
  readonly outcome?: string;
  readonly said?: string;
  readonly hash: string;
};

const beginning: LedgerHead = { seq: 0, hash: '' };

const hashOf = (row: Omit<LedgerRow, 'hash'>): string => {
  const sorted = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
};

const rowsOf = (item: Item | undefined): readonly LedgerRow[] => (item ? companions.command.of(item).rows : []);

/** The ledger of a node in order. */
export const readLedger = async (table: Pick<Table, 'query'>, uuid: string): Promise<LedgerRow[]> => {
  const items = await table.query(companions.command.all(uuid));
  return items.flatMap(rowsOf).sort((a, b) => a.seq - b.seq);
};

/** `row`: the number of the row at which it breaks, from 1; one more than the last: some are missing at the end. */
export type Verdict = {
  readonly rows: readonly LedgerRow[];
  readonly broken?: { readonly row: number; readonly why: string };
};

/** Whether what was written at that time, or before it, may be gone by now (seconds since the epoch). */
const isPast = (at: string | undefined, now: number): boolean => at !== undefined && expiryOf(at) <= now;

/** What is wrong with a row that comes after `before`, the row that is left of those before it. */
const flawOf = ({ hash, ...row }: LedgerRow, before: LedgerHead, now: number): string | undefined => {
  if (row.seq <= before.seq) return 'there is another row of its number.';
  const follows = row.seq === before.seq + 1;
  if (!follows && !isPast(row.previous_at ?? row.at, now)) return 'a row before it is missing.';
  if (follows && row.previous !== before.hash) return 'it does not follow the row before it.';
  return hash === hashOf(row) ? undefined : 'it was changed after it was written.';
};

const findBreak = (rows: readonly LedgerRow[], head: LedgerHead, now: number): Verdict['broken'] => {
  let before: LedgerHead = beginning;
  for (const row of rows) {
    const why = flawOf(row, before, now);
    if (why !== undefined) return { row: before.seq + 1, why };
    before = row;
  }
  if (head.seq === before.seq && head.hash === before.hash) return undefined;
  if (head.seq > before.seq && isPast(head.at, now)) return undefined;
  return { row: before.seq + 1, why: `${head.seq} rows were written, and the last of those here is not the last.` };
};

/**
 * Checks the chain of a node's ledger: no row was changed, added or removed before its time, not even at the end. A
 * machine that is worked on meanwhile does no harm: it is read again until nothing was appended in between. `now`:
 * milliseconds.
 */
export const verifyLedger = async (
  table: Pick<Table, 'get' | 'query'>,
  uuid: string,
  now: number,
): Promise<Verdict> => {
  const readHead = async () => (await companions.ledger.read(table, uuid)) ?? beginning;
  for (let before = await readHead(); ;) {
    const rows = await readLedger(table, uuid);
    const head = await readHead();
    if (head.hash === before.hash) {
      const broken = findBreak(rows, head, now / 1000);
      return { rows, ...(broken && { broken }) };
    }
    before = head;
  }
};

/** What leaves open how it went: the machine may have got it. */
const open: readonly LedgerStep['state'][] = ['accepted', 'unclear'];

const toEntry = (rows: readonly LedgerRow[]): LedgerEntry | undefined => {
  const last = rows.at(-1);
  if (!last) return undefined;
  const sent = rows.filter(({ state }) => state === 'sent');
  const lastSend = rows.findLastIndex(({ state }) => state === 'sent');
  const since = rows.slice(Math.max(lastSend, 0));
  const accepted = since.findLast(({ state }) => state === 'accepted');
  return {
    op_id: last.op_id,
    op: last.op,
    state: open.includes(last.state) ? 'sent' : (last.state as LedgerEntry['state']),
    sent_at: sent.at(-1)?.at ?? null,
    sends: sent.length - rows.filter(({ state }) => state === 'refused').length,
    what: sent.at(-1)?.what ?? null,
    outcome: last.outcome ?? null,
    said: since.findLast(({ state }) => state === 'unclear')?.said ?? null,
    monitor: accepted?.monitor ?? null,
    version: rows.length,
  };
};

/** A record as the agent gets it: its fields without secrets; a step that needs the configdrive gets it by argument. */
const forAgent = (rows: Fields, record: object): Record<string, unknown> => {
  const names = Object.keys(rows).filter((name) => !rows[name]?.computed);
  const values = names.map((name) => [name, (record as Record<string, unknown>)[name] ?? null]);
  return maskRecord(rows, Object.fromEntries(values) as Record<string, unknown>);
};

const readMachine = async (table: Table, uuid: string): Promise<BmcRecord> => {
  const [node, secret, rescue, ports] = await Promise.all([
    readRecord(table, kinds.node, uuid),
    companions.secret.read(table, uuid),
    companions.rescue_password.read(table, uuid),
    recordsOf(table, kinds.port, uuid),
  ]);
  if (!node) throw missing(kinds.node, uuid);
  return {
    uuid,
    driver: node.driver,
    generation: node.generation,
    driver_info: node.driver_info,
    sealed: { ...secret?.values, ...(rescue && { [rescuePasswordName]: rescue.sealed }) },
    agent_url: note(node, 'agent_url') || null,
    agent_verify_ca: note(node, 'agent_verify_ca') || null,
    node: forAgent(nodeFields, node),
    ports: ports.map((port) => forAgent(portFields, port)),
  };
};

const Overtaken = (opId: string) =>
  bmcFault('BmcBusy', `Another invocation is working on ${opId} at this moment; ask again.`);

const Stale = (uuid: string, generation: number) =>
  bmcFault('StaleGeneration', `Node ${uuid} has been given to somebody else since generation ${generation}.`);

/** Somebody else appended for another command of the node in between; 20 times in a row means something is wrong. */
const maxTries = 20;

const append = async (
  { table, clock }: Needs,
  uuid: string,
  { op, op_id }: { op: string; op_id: string },
  step: LedgerStep,
  seen: LedgerEntry | undefined,
): Promise<LedgerEntry> => {
  for (let attempt = 1; ; attempt += 1) {
    const [command, newest] = await table.getMany([companions.command.key(uuid, op_id), companions.ledger.key(uuid)]);
    const before = rowsOf(command);
    if (before.length !== (seen?.version ?? 0)) throw Overtaken(op_id);
    const head = companions.ledger.of(newest) ?? beginning;
    const at = isoTime(clock.now());
    const previous = { previous: head.hash, ...(head.at !== undefined && { previous_at: head.at }) };
    const row = { seq: head.seq + 1, ...previous, at, op, op_id, ...step };
    const hash = hashOf(row);
    const rows: LedgerRow[] = [...before, { ...row, hash }];
    const entry = toEntry(rows)!;
    const writes: Write[] = [
      {
        put: companions.command.item(uuid, op_id, { ...entry, rows, expires_at: expiryOf(at) }),
        when: [command ? equals('version', before.length) : absent],
      },
      {
        ...companions.ledger.put(uuid, { seq: row.seq, hash, at }),
        when: [newest ? equals('hash', head.hash) : absent],
      },
    ];
    // The fence: the node must still be in the generation that the caller holds, or the machine does not get this.
    const fence: Write[] =
      step.state === 'sent'
        ? [{ check: keyOf(kinds.node, uuid), when: [below('generation', step.generation + 1)] }]
        : [];
    try {
      await table.write([...writes, ...fence]);
      return entry;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      if (error.index === 0) throw Overtaken(op_id);
      if (error.index === 2 && step.state === 'sent') throw Stale(uuid, step.generation);
      if (attempt >= maxTries) throw Overtaken(op_id);
    }
  }
};

/** The proxy's view of the table. */
export const createBmcRecords = ({ table, clock }: Needs): BmcRecords => ({
  read: async (uuid) => readMachine(table, uuid),
  entry: async (uuid, opId) => toEntry(rowsOf(await table.get(companions.command.key(uuid, opId)))),
  record: async (uuid, operation, step, seen) => append({ table, clock }, uuid, operation, step, seen),
});
